/** A part of a pattern between two slashes. */
export interface GlobPart {
  /** The literal name; null for a pattern. */
  readonly name: string | null;
  /** The pattern begins with a dot. */
  readonly isDotted: boolean;
  readonly matches: (name: string) => boolean;
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: '\\p{L}',
  digit: '0-9',
  alnum: '\\p{L}\\p{N}',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  space: '\\s',
  blank: ' \\t',
  punct: '\\p{P}\\p{S}',
  xdigit: '0-9A-Fa-f',
  word: '\\p{L}\\p{N}_',
};

/** Unusual matching options of a shell. */
interface GlobHabits {
  /** A star matches hidden names. */
  readonly dots?: boolean;
  readonly folds?: boolean;
}

/** The parts of a pattern, with a backslash before quoted characters. */
export function readGlob(pattern: string, { dots = false, folds = false }: GlobHabits = {}): readonly GlobPart[] {
  return splitParts(pattern).map((part) => {
    if (!hasPattern(part)) return { name: part.replace(/\\(.)/gs, '$1'), isDotted: false, matches: () => false };
    const matches = toMatcher(part, { folds });
    const isDotted = part.startsWith('.') || part.startsWith('\\.');
    return { name: null, isDotted, matches: (name) => (isDotted || dots || !name.startsWith('.')) && matches(name) };
  });
}

/** Whether a name, or a whole path, matches a pattern. Slashes and leading dots are ordinary characters, as with `find`. */
export function toMatcher(pattern: string, { folds = false }: { readonly folds?: boolean } = {}): (name: string) => boolean {
  const expression = new RegExp(`^${toExpression(pattern)}$`, folds ? 'siu' : 'su');
  return (name) => expression.test(name);
}

function splitParts(pattern: string): readonly string[] {
  const parts: string[] = [''];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] ?? '';
    if (character === '\\') {
      parts[parts.length - 1] += character + (pattern[at + 1] ?? '');
      at += 1;
    } else if (character === '/') parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

function hasPattern(part: string): boolean {
  const bare = part.replace(/\\./gs, '');
  return /[*?]/.test(bare) || /^[^[]*\[.+\]/s.test(bare);
}

function toExpression(pattern: string): string {
  let expression = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const character = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    if (character === '*') expression += '.*';
    else if (character === '?') expression += '.';
    else if (character === '[') {
      const set = readSet(pattern, at);
      expression += set === null ? '\\[' : set.expression;
      at = set === null ? at : set.end;
    } else if (character === '\\') {
      at += 1;
      expression += escaped(pattern[at] ?? '\\');
    } else {
      expression += escaped(character);
      at += character.length - 1;
    }
  }
  return expression;
}

function escaped(character: string): string {
  return character.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&');
}

/** Reads `[a-z]`, `[!x]`, `[[:alpha:]]`; null without a closing bracket. */
function readSet(pattern: string, from: number): { readonly expression: string; readonly end: number } | null {
  let at = from + 1;
  const isNegated = pattern[at] === '!' || pattern[at] === '^';
  if (isNegated) at += 1;
  let members = '';
  const first = at;
  for (; at < pattern.length && (pattern[at] !== ']' || at === first); at += 1) {
    const named = /^\[:(\w+):\]/.exec(pattern.slice(at));
    const character = pattern[at] ?? '';
    if (named?.[1] !== undefined) {
      members += CLASSES[named[1]] ?? '';
      at += named[0].length - 1;
    } else if (character === '\\') {
      at += 1;
      members += inSet(pattern[at] ?? '');
    } else members += character === '-' && at > first && pattern[at + 1] !== ']' ? '-' : inSet(character);
  }
  if (at >= pattern.length) return null;
  return { expression: members === '' ? '(?!)' : `[${isNegated ? '^' : ''}${members}]`, end: at };
}

function inSet(character: string): string {
  return /[\\\]^[-]/.test(character) ? `\\${character}` : character;
}
