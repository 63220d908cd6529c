import { lstatSync } from 'node:fs';

/** File systems record changes in steps of some milliseconds; some record whole seconds, or two. */
const TICK_MS = 50;
const COARSE_MS = 2000;

/** The number of a folder, and when its names and its mode last changed. */
export interface FolderState {
  readonly dev: number;
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/**
 * Null for a folder that has gone, or that changed so lately that it might change again unseen. With `lookedAt`, in ms since the epoch, also
 * for one that changed since then, because a look that began then may have missed the change.
 */
export function lookAtState(path: string, lookedAt = Date.now()): FolderState | null {
  try {
    const { dev, ino, mtimeMs, ctimeMs } = lstatSync(path);
    return isSettled(ctimeMs, lookedAt) ? { dev, ino, mtimeMs, ctimeMs } : null;
  } catch {
    return null;
  }
}

/** The same as one text. */
export function stateOf(path: string): string | null {
  const state = lookAtState(path);
  return state === null ? null : `${state.dev}:${state.ino}:${state.mtimeMs}:${state.ctimeMs}`;
}

/** Whether a folder is still in a state. To compare numbers takes half as long as to compare texts. */
export function isStill(path: string, state: FolderState): boolean {
  try {
    const { dev, ino, mtimeMs, ctimeMs } = lstatSync(path);
    return ctimeMs === state.ctimeMs && mtimeMs === state.mtimeMs && ino === state.ino && dev === state.dev;
  } catch {
    return false;
  }
}

/** Whether every change after a look has another time than this one. A share's clock may run ahead. */
export function isSettled(changedAt: number, lookedAt: number): boolean {
  const tick = changedAt % 1000 === 0 ? COARSE_MS : TICK_MS;
  return changedAt < lookedAt - tick;
}

/** Remembers what was read of paths, each for as long as its state does not change. */
export class ByState<T> {
  readonly #most: number;
  readonly #known = new Map<string, { readonly state: string; readonly value: T }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** `state`: null for a path that may change again unseen, and so is read each time. */
  get(key: string, state: string | null, read: () => T): T {
    const known = this.#known.get(key);
    if (state !== null && known?.state === state) return known.value;
    const value = read();
    if (this.#known.size >= this.#most) this.#known.clear();
    if (state !== null) this.#known.set(key, { state, value });
    return value;
  }
}
