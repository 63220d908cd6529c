/** The directories that the shell of a session has been in, for Alt-Left, Alt-Right and `cdh`. */
export interface Directories {
  /** Directory of the shell at the last prompt; null before the first. */
  readonly here: string | null;
  /** Where Alt-Left goes, the next one last. */
  readonly back: readonly string[];
  /** Where Alt-Right goes, the next one last. */
  readonly forward: readonly string[];
  /** The line that a key has entered, until the next prompt. */
  readonly going: { readonly direction: Direction; readonly line: string } | null;
}

/** Which way a key goes through the directories. */
export type Direction = 'back' | 'forward';

/** Before the first prompt. */
export const NO_DIRECTORIES: Directories = { here: null, back: [], forward: [], going: null };

/** So many directories are remembered in each direction. */
const MOST = 50;

/** The next prompt shows this directory, no matter who changed it. A directory that a key could not go to is forgotten. */
export function arrive(directories: Directories, cwd: string): Directories {
  const { here, back, forward, going } = directories;
  if (going !== null) {
    const [from, to] = going.direction === 'back' ? [back, forward] : [forward, back];
    const rest = from.slice(0, -1);
    const passed = here === null || cwd === here ? to : [...to, here].slice(-MOST);
    return going.direction === 'back'
      ? { here: cwd, back: rest, forward: passed, going: null }
      : { here: cwd, back: passed, forward: rest, going: null };
  }
  if (here === null || cwd === here) return { ...directories, here: cwd };
  return { here: cwd, back: [...back, here].slice(-MOST), forward: [], going: null };
}

/** The line that goes to the next directory in a direction; null if there is none. */
export function lineTo({ back, forward }: Directories, direction: Direction, home: string | undefined): string | null {
  const path = (direction === 'back' ? back : forward).at(-1);
  return path === undefined ? null : formatGoTo(path, home);
}

/** The directories to choose from, each once, the one that was left last first. */
export function visited({ here, back, forward }: Directories): readonly string[] {
  return [...new Set([...back.toReversed(), ...forward.toReversed()])].filter((path) => path !== here);
}

/** The command that goes to a directory. */
export function formatGoTo(path: string, home: string | undefined): string {
  return `cd ${formatPath(path, home)}`;
}

/** A directory as a word of a shell, short if it is in the user's home. */
export function formatPath(path: string, home: string | undefined): string {
  const isInHome = home !== undefined && home !== '/' && (path === home || path.startsWith(`${home}/`));
  const rest = isInHome ? path.slice(home.length + 1) : path;
  const quoted = rest === '' || /^[\w@%+:,./-]+$/.test(rest) ? rest : `'${rest.replaceAll("'", `'\\''`)}'`;
  return isInHome ? `~${path === home ? '' : '/'}${quoted}` : quoted;
}
