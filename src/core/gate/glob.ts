/** True where a name may be what a shell pattern of `*`, `?` and `[…]` stands for. Letter case counts. */
export function mayMatch(pattern: string, name: string): boolean {
  if (!/[*?[]/.test(pattern)) return pattern === name;
  let at = 0;
  let inName = 0;
  let star = -1;
  let resume = 0;
  while (inName < name.length) {
    const token = readToken(pattern, at);
    if (token.type === 'star') {
      star = at;
      resume = inName;
      at += 1;
    } else if (token.type !== 'end' && token.matches(name[inName] ?? '')) {
      at = token.next;
      inName += 1;
    } else if (star >= 0) {
      resume += 1;
      inName = resume;
      at = star + 1;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at >= pattern.length;
}

type Token =
  | { readonly type: 'end' }
  | { readonly type: 'star' }
  | { readonly type: 'one'; readonly next: number; matches(character: string): boolean };

function readToken(pattern: string, at: number): Token {
  const first = pattern[at];
  if (first === undefined) return { type: 'end' };
  if (first === '*') return { type: 'star' };
  if (first === '?') return { type: 'one', next: at + 1, matches: () => true };
  if (first === '[') {
    const end = pattern.indexOf(']', at + 2);
    if (end > 0)
      return { type: 'one', next: end + 1, matches: (character) => inSet(pattern.slice(at + 1, end), character) };
  }
  return { type: 'one', next: at + 1, matches: (character) => character === first };
}

/** A class by name (`[:alpha:]`) may be anything: the gate would rather see too much in a pattern than too little. */
function inSet(set: string, character: string): boolean {
  if (set.includes('[:')) return true;
  const negated = set.startsWith('!') || set.startsWith('^');
  const members = negated ? set.slice(1) : set;
  let found = false;
  for (let at = 0; at < members.length; at += 1) {
    if (members[at + 1] === '-' && at + 2 < members.length) {
      if (character >= (members[at] ?? '') && character <= (members[at + 2] ?? '')) found = true;
      at += 2;
    } else if (members[at] === character) found = true;
  }
  return found !== negated;
}
