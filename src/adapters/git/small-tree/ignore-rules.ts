/*
 * Git's ignore files, as far as their patterns are plain: https://git-scm.com/docs/gitignore. A file with any other pattern is left to git.
 * A path is raw: one character for each byte.
 */

/** Finds out whether one ignore file has something to say about a path: true if it ignores the path, false if it takes it back. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean | null;

/** One pattern of an ignore file. */
interface Rule {
  readonly isNegative: boolean;
  readonly onlyFolders: boolean;
  /** A pattern without a `/` is about the name alone. */
  readonly ofName: Glob | null;
  readonly ofPath: readonly (Glob | '**')[];
}

/** A name with wildcards: each part stands for one character, `*` for any number. */
type Glob = readonly (string | '*' | CharacterTest)[];

type CharacterTest = (character: string) => boolean;

const ANY: CharacterTest = () => true;

/** Reads an ignore file in a folder, whose path ends with a `/` or is empty; null if only git can tell what it means. */
export function parseIgnoreRules(text: string, folder: string): IgnoreRules | null {
  if (text.includes('\0')) return null;
  const rules: Rule[] = [];
  for (const line of text.replace(/^\xef\xbb\xbf/, '').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const rule = parseRule(line.replace(/\r$/, '').replace(/ +$/, ''));
    if (rule === null) return null;
    if (rule !== 'none') rules.push(rule);
  }
  const lastFirst = rules.toReversed();
  return (path, isFolder) => {
    const inside = path.slice(folder.length);
    const parts = inside.split('/');
    const name = parts.at(-1) ?? '';
    const rule = lastFirst.find(({ onlyFolders, ofName, ofPath }) => {
      if (onlyFolders && !isFolder) return false;
      return ofName === null ? matchesParts(ofPath, parts) : matchesGlob(ofName, name);
    });
    return rule === undefined ? null : !rule.isNegative;
  };
}

function parseRule(line: string): Rule | 'none' | null {
  const isNegative = line.startsWith('!');
  const written = isNegative ? line.slice(1) : line;
  const onlyFolders = written.endsWith('/');
  const pattern = onlyFolders ? written.slice(0, -1) : written;
  if (pattern.includes('\\')) return null;
  if (pattern === '') return 'none';
  if (!pattern.includes('/')) {
    const glob = parseGlob(pattern.replace(/\*+/g, '*'));
    return glob === null ? null : { isNegative, onlyFolders, ofName: glob, ofPath: [] };
  }
  const ofPath: (Glob | '**')[] = [];
  for (const part of pattern.replace(/^\//, '').split('/')) {
    const glob = part === '**' ? part : part.includes('**') ? null : parseGlob(part);
    if (glob === null) return null;
    ofPath.push(glob);
  }
  return { isNegative, onlyFolders, ofName: null, ofPath };
}

function parseGlob(pattern: string): Glob | null {
  const parts: (string | CharacterTest)[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (character === '?') parts.push(ANY);
    else if (character !== '[') parts.push(character);
    else {
      // Classes by name, and a bracket or a hyphen as a member of a set, are rare.
      const [whole, negation, set] = /^\[([!^]?)((?:[^\]\\[-]-[^\]\\[-]|[^\]\\[-])+)\]/s.exec(pattern.slice(at)) ?? [];
      if (whole === undefined || set === undefined) return null;
      parts.push(parseSet(set, negation !== ''));
      at += whole.length - 1;
    }
  }
  return parts;
}

function parseSet(set: string, isNegative: boolean): CharacterTest {
  const ranges = [...set.matchAll(/(.)-(.)|./gs)].map(([one, from = one, to = one]) => [from, to] as const);
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegative;
}

function matchesGlob(glob: Glob, name: string): boolean {
  const isOne = (part: Glob[number], character: string) =>
    typeof part === 'string' ? part === character : part(character);
  return matchesAll(glob, [...name], '*', isOne);
}

/** In a path `**` stands for any number of folders, and at the end for at least one name. */
function matchesParts(wanted: Rule['ofPath'], parts: readonly string[]): boolean {
  const isAll = wanted.at(-1) === '**';
  const isOne = (part: Glob | '**', name: string) => part !== '**' && matchesGlob(part, name);
  return matchesAll(isAll ? [...wanted.slice(0, -1), ANY_NAME, '**'] : wanted, parts, '**', isOne);
}

const ANY_NAME: Glob = ['*'];

/** Matches a sequence against parts of which some stand for any number of items. The last such part alone has to be tried again. */
function matchesAll<P, I>(
  parts: readonly P[],
  items: readonly I[],
  any: P,
  isOne: (part: P, item: I) => boolean,
): boolean {
  let [part, item] = [0, 0];
  let again: { readonly part: number; readonly item: number } | null = null;
  while (item < items.length) {
    const [wanted, found] = [parts[part], items[item]];
    if (part < parts.length && wanted === any) {
      again = { part, item };
      part += 1;
    } else if (wanted !== undefined && found !== undefined && isOne(wanted, found)) {
      part += 1;
      item += 1;
    } else if (again === null) return false;
    else {
      again = { part: again.part, item: again.item + 1 };
      [part, item] = [again.part + 1, again.item];
    }
  }
  return parts.slice(part).every((rest) => rest === any);
}
