/** The directories that the session's shell has visited, for Alt-Left, Alt-Right and `cdh`. */
export interface Directories {
  /** Directory of the shell at the last prompt; null before the first. */
  readonly here: string | null;
  /** Targets of Alt-Left, the next one last. */
  readonly back: readonly string[];
  /** Targets of Alt-Right, the next one last. */
  readonly forward: readonly string[];
  /** The line entered by a key, until the next prompt. */
  readonly going: { readonly direction: Direction; readonly line: string } | null;
}

/** The direction of a key through the directories. */
export type Direction = 'back' | 'forward';

/** The state before the first prompt. */
export const NO_DIRECTORIES: Directories = { here: null, back: [], forward: [], going: null };

/** The maximum number of directories remembered in each direction. */
const MOST = 50;

/** Records the directory of the next prompt, no matter who changed it. A directory that a key could not reach is forgotten. */
export function arrive(directories: Directories, cwd: string): Directories {
  const { here, back, forward, going } = directories;
  if (going !== null) {
    const [from, to] = going.direction === 'back' ? [back, forward] : [forward, back];
    const rest = withoutEnd(from.slice(0, -1), cwd);
    const passed = withoutEnd(here === null || cwd === here ? to : [...to, here].slice(-MOST), cwd);
    return going.direction === 'back'
      ? { here: cwd, back: rest, forward: passed, going: null }
      : { here: cwd, back: passed, forward: rest, going: null };
  }
  if (here === null || cwd === here) return { ...directories, here: cwd };
  return { here: cwd, back: [...back, here].slice(-MOST), forward: [], going: null };
}

/** A key never goes to the current directory, because a line may lead elsewhere than it says. */
function withoutEnd(paths: readonly string[], cwd: string): readonly string[] {
  const end = paths.findLastIndex((path) => path !== cwd);
  return paths.slice(0, end + 1);
}

/** The line that goes to the next directory in a direction; null if there is none. */
export function lineTo({ back, forward }: Directories, direction: Direction, home: string | undefined): string | null {
  const path = (direction === 'back' ? back : forward).at(-1);
  return path === undefined ? null : formatGoTo(path, home);
}

/** The directories to choose from, without duplicates, the most recent first. */
export function visited({ here, back, forward }: Directories): readonly string[] {
  return [...new Set([...back.toReversed(), ...forward.toReversed()])].filter((path) => path !== here);
}

/** The command that changes to a directory. */
export function formatGoTo(path: string, home: string | undefined): string {
  return `cd ${formatPath(path, home)}`;
}

/** A directory as a shell word, shortened within the user's home. */
export function formatPath(path: string, home: string | undefined): string {
  const isInHome = home !== undefined && home !== '/' && (path === home || path.startsWith(`${home}/`));
  const rest = isInHome ? path.slice(home.length + 1) : path;
  const quoted = rest === '' || /^[\w@%+:,./-]+$/.test(rest) ? rest : `'${rest.replaceAll("'", `'\\''`)}'`;
  return isInHome ? `~${path === home ? '' : '/'}${quoted}` : quoted;
}

/** A directory in which commands ran. */
export interface UsedDirectory {
  readonly path: string;
  /** Grows with each use, and counts recent uses more. */
  readonly weight: number;
}

/** The directories whose paths contain these words in order, the last one in their last name, without case; the most used first. */
export function matchDirectories(words: readonly string[], used: Iterable<UsedDirectory>): readonly string[] {
  const wanted = words.map((word) => word.toLowerCase());
  return [...used]
    .filter(({ path }) => matches(path.toLowerCase(), wanted))
    .sort((one, other) => other.weight - one.weight)
    .map(({ path }) => path);
}

function matches(path: string, words: readonly string[]): boolean {
  let at = 0;
  for (const word of words.slice(0, -1)) {
    const found = path.indexOf(word, at);
    if (found < 0) return false;
    at = found + word.length;
  }
  const last = words.at(-1) ?? '';
  const found = path.lastIndexOf(last);
  return found >= at && !path.slice(found + last.replace(/\/+$/, '').length).includes('/');
}
