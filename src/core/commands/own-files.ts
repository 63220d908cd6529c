import { joinedRegExp } from '../text/joined-regexp.ts';
/** Files and processes of the running aish, as data. Paths are absolute, without a trailing slash. */
export interface OwnFiles {
  /** Folders and files of rules, log, trust, memory and sockets, under every known name. An approval can allow only reads. */
  readonly paths: readonly string[];
  /** The program itself: anyone may read it, and nobody may change or start it. */
  readonly program: readonly string[];
  /** Process ids of aish and its shell. */
  readonly pids: readonly number[];
  /** Process names of aish other than `aish`, which depend on the program that runs it. */
  readonly names?: readonly string[];
  /** Environment variables whose values lead to these paths. */
  readonly variables: Readonly<Record<string, string>>;
  /** The pane of the terminal multiplexer that aish runs in. */
  readonly pane?: string;
}

/** How a path relates to aish's own files: within them, above them, or neither. */
export type Touch = 'own' | 'holds' | null;

/** Relates a normalised path to aish's own files. A glob matches if it could expand to such a path. */
export function touchOf(path: string, owned: readonly string[], isGlob: boolean): Touch {
  const parts = toParts(path);
  let held: Touch = null;
  for (const own of owned) {
    const wanted = toParts(own);
    const isSame = wanted.slice(0, parts.length).every((part, at) => isSamePart(parts[at] ?? '', part, isGlob));
    if (!isSame) continue;
    if (parts.length >= wanted.length) return 'own';
    held = 'holds';
  }
  return held;
}

/** On file systems that ignore letter case, a different spelling names the same file. */
function toParts(path: string): readonly string[] {
  return path.toLowerCase().split('/').filter(Boolean);
}

function isSamePart(part: string, wanted: string, isGlob: boolean): boolean {
  if (part === wanted) return true;
  return isGlob && /[*?[]/.test(part) && part.startsWith('.') === wanted.startsWith('.') && mayMatch(part, wanted);
}

/** Names that code and text may use for our folders, wherever the home directory is. */
const CALLED = joinedRegExp(
  'i',
  String.raw`(?:\.config|\.local\/state|\.local\/share|\.cache)\/aish(?![\w.-])|\$\{?(?:XDG_(?:CONFIG|STATE|CACHE`,
  String.raw`|RUNTIME)_(?:HOME|DIR))\}?["']*\/aish(?![\w.-])|\$\{?AISH_CONFIG\b|\baish\/(?:config\.toml|sessions`,
  String.raw`|history\.jsonl|trust\b|outputs)`,
);

/** Whether a text that is not a path, such as code, mentions our files. */
export function mentionsOwn(text: string, { paths, program }: OwnFiles): boolean {
  return written(text).some((one) => CALLED.test(one) || [...paths, ...program].some((path) => one.includes(path)));
}

/** Whether a text mentions one of our folders by name. */
export function callsOwn(text: string): boolean {
  return CALLED.test(text);
}

/** A text as it stands, and with the pieces joined that code builds a path from, as in `'.config' / 'aish'`. */
function written(text: string): readonly string[] {
  const joint = /["'`]\s*(?:(?:[,+/]|\.\.?)\s*)?["'`]/g;
  return joint.test(text) ? [text, text.replace(joint, '/').replace(/\/{2,}/g, '/'), text.replace(joint, '')] : [text];
}

/** Whether a shell pattern of `*`, `?` and `[…]` may match a name. Letter case counts. */
export function mayMatch(pattern: string, name: string): boolean {
  const first = pattern[0];
  if (first !== name[0] && first !== '*' && first !== '?' && first !== '[') return false;
  if (!/[*?[]/.test(pattern)) return pattern === name;
  const [before = '', after] = /^[^*?[]*\*[^*?[]*$/.test(pattern) ? pattern.split('*') : [];
  if (after !== undefined) return name.length >= pattern.length - 1 && name.startsWith(before) && name.endsWith(after);
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
    if (end > 0) return { type: 'one', next: end + 1, matches: (character) => inSet(pattern.slice(at + 1, end), character) };
  }
  return { type: 'one', next: at + 1, matches: (character) => character === first };
}

/** A named class (`[:alpha:]`) counts as a match: a pattern should match too much rather than too little. */
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
