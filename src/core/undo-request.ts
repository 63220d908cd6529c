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

/** Understands `[n|id] [path…]`: a first word such as `c12` is an id, one such as `3` a number of steps. */
export function parseUndoRequest(words: readonly string[]): UndoRequest | null {
  const [first = '', ...rest] = words;
  if (/^c\d+$/.test(first)) return { id: first, paths: rest };
  if (!/^\d+$/.test(first)) return { paths: words };
  const steps = Number(first);
  if (steps < 1 || steps > MOST_STEPS) return null;
  return steps === 1 ? { paths: rest } : { steps, paths: rest };
}

/** More at once are no slip of the hand. */
const MOST_STEPS = 99;

/** What is said where fewer steps were there than were asked for. */
export function sayFewer(done: number, direction: 'undo' | 'redo'): string {
  return `only ${done} ${done === 1 ? 'step was' : 'steps were'} there to ${direction}`;
}

/** Understands `[--step] [id] [path…]`. */
export function parseDiffRequest(words: readonly string[]): DiffRequest {
  const isStep = words.includes(STEP);
  const [first = '', ...rest] = words.filter((word) => word !== STEP);
  const only = isStep ? { isStep } : {};
  if (/^c?\d+$/.test(first)) return { id: `c${first.replace('c', '')}`, paths: rest, ...only };
  return { paths: first === '' ? [] : [first, ...rest], ...only };
}

const STEP = '--step';
