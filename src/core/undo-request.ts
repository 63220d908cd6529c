/** What `:undo`, `:redo`, `aish undo` and `aish redo` are told. */
export interface UndoRequest {
  /** The step; absent for the newest that can be taken. */
  readonly id?: string;
  /** So many steps, each its own; absent for one. */
  readonly steps?: number;
  /** All paths of the step without. */
  readonly paths: readonly string[];
}

/** What `:diff` and `aish diff` are told about checkpoints. */
export interface DiffRequest {
  /** The newest step without. */
  readonly id?: string;
  readonly paths: readonly string[];
  /** What the step alone changed, and not all that changed since. */
  readonly isStep?: true;
}

/**
 * Understands `[n|id] [path…]`: a first word such as `c12` is an id, one such as `3` a number of steps. Behind `--` every word is a path;
 * before it none that begins with a dash is.
 */
export function parseUndoRequest(words: readonly string[]): UndoRequest | null {
  const [before, behind] = splitAtEnd(words);
  if (before.some((word) => word.startsWith('-'))) return null;
  const [first = '', ...rest] = before;
  const paths = [...rest, ...behind];
  if (/^c\d+$/.test(first)) return { id: first, paths };
  if (!/^\d+$/.test(first)) return { paths: [...before, ...behind] };
  const steps = Number(first);
  if (steps < 1 || steps > MOST_STEPS) return null;
  return steps === 1 ? { paths } : { steps, paths };
}

/** The words before `--`, and those behind it. */
export function splitAtEnd(words: readonly string[]): readonly [readonly string[], readonly string[]] {
  const end = words.indexOf('--');
  return end === -1 ? [words, []] : [words.slice(0, end), words.slice(end + 1)];
}

/** More at once are no slip of the hand. */
const MOST_STEPS = 99;

/** What is said where fewer steps were there than were asked for. */
export function sayFewer(done: number, direction: 'undo' | 'redo'): string {
  return `only ${done} ${done === 1 ? 'step was' : 'steps were'} there to ${direction}`;
}

/** Understands `[--step] [id] [path…]`. */
export function parseDiffRequest(words: readonly string[]): DiffRequest {
  const [before, behind] = splitAtEnd(words);
  const isStep = before.includes(STEP);
  const named = before.filter((word) => word !== STEP);
  const [first = '', ...rest] = named;
  const only = isStep ? { isStep } : {};
  if (/^c?\d+$/.test(first)) return { id: `c${first.replace('c', '')}`, paths: [...rest, ...behind], ...only };
  return { paths: [...named, ...behind], ...only };
}

const STEP = '--step';
