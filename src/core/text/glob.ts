/* Shell patterns. */
const PART = /\*+|\[([!^]|(?![!^]))((?:\[[:=.][^\]]{1,20}\]|\\?.)(?:\[[:=.][^\]]{1,20}\]|\\.|[^\]\\])*)\]|\\?(.)/gsu;
const MEMBER = /\[[:=.]([^\]]+)[:=.]\]|\\?(.)(?:-\\?([^\]]))?/gsu;

const CLASSES: ReadonlyMap<string | undefined, string> = new Map([
  ['alpha', '\\p{L}'],
  ['digit', '\\d'],
  ['alnum', '\\p{L}\\p{N}'],
  ['upper', '\\p{Lu}'],
  ['lower', '\\p{Ll}'],
  ['space', '\\s'],
  ['blank', ' \\t'],
  ['punct', '\\p{P}\\p{S}'],
  ['xdigit', '\\dA-Fa-f'],
  ['word', '\\p{L}\\p{N}_'],
]);

/** A longer pattern matches everything, as a set of a class that is not known does: rather too much than too little. */
const LONGEST = 2048;

/**
 * Reads a shell pattern with `*`, `?`, `[a-z]`, `[[:alpha:]]` and backslashes, for whole texts. Slashes and leading dots are ordinary
 * characters; `folds` ignores letter case. No pattern is slow: a match of a part before the last star is never looked for again.
 */
export function readPattern(pattern: string, { folds = false } = {}): (text: string) => boolean {
  if (pattern.length > LONGEST) return () => true;
  const [first, ...rest] = pattern.replace(PART, toSource).split('*');
  const last = rest.pop();
  const middle = rest.map((part, at) => `(?=(.*?${part}))\\${at + 1}`).join('');
  const whole = new RegExp(`^${first}${middle}${last === undefined ? '' : `.*${last}`}$`, folds ? 'isu' : 'su');
  return (text) => whole.test(text);
}

function toSource(part: string, sign?: string, members?: string, character = ''): string {
  if (part.startsWith('*')) return '*';
  if (members === undefined) return part === '?' ? '.' : toCode(character);
  const source = members.replace(MEMBER, toMember);
  return source.includes('?') ? '.' : `[${sign === '' ? '' : '^'}${source}]`;
}

function toMember(_: string, named?: string, from?: string, to = from): string {
  if (from === undefined || to === undefined) return CLASSES.get(named) ?? '?';
  return (from.codePointAt(0) ?? 0) <= (to.codePointAt(0) ?? 0) ? `${toCode(from)}-${toCode(to)}` : '';
}

function toCode(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** A set of a few small letters and digits. */
const PLAIN_SET = /\[[a-z0-9._]+\]/g;

/**
 * A test whether a typed pattern, in lower case and without its quotes, may match a name. Both change what a set means: `[!T]` and
 * `[A-z]` match other letters in lower case, and in `[n"]"]` the first bracket closes nothing. So each set that is not plain stands for
 * any letter, and for any text if its end is not clear.
 */
export function mayExpandTo(pattern: string): (name: string) => boolean {
  const single = pattern.replace(/\[[^[\]]+\]/g, (set) => (set.replace(PLAIN_SET, '') === '' ? set : '?'));
  const isClear = !/[[\]]/.test(single.replace(PLAIN_SET, ''));
  return mayMatch(isClear ? single : pattern.replace(/\[.*\]/s, '*'));
}

/**
 * A test whether a shell pattern of `*`, `?` and `[…]`, in which a backslash is an ordinary character, may match a name. Letter case
 * counts. Most names begin otherwise, so the pattern is read when the first name needs it.
 */
export function mayMatch(pattern: string): (name: string) => boolean {
  const start = pattern.replace(/[*?[].*$/s, '');
  if (start === pattern) return (name) => pattern === name;
  let matches: ((name: string) => boolean) | undefined;
  return (name) => {
    if (!name.startsWith(start)) return false;
    matches ??= readPattern(pattern.replaceAll('\\', '\\\\'));
    return matches(name);
  };
}
