import { lstatSync } from 'node:fs';

/** File systems record changes in steps of some milliseconds; some record whole seconds, or two. */
const TICK_MS = 50;
const COARSE_MS = 2000;

/**
 * Null for a folder that has gone, or that changed so lately that it might change again unseen. With `lookedAt`, in ms since the epoch, also
 * for one that changed since then, because a look that began then may have missed the change.
 */
export function stateOf(path: string, lookedAt = Date.now()): string | null {
  try {
    const { dev, ino, mtimeMs, ctimeMs } = lstatSync(path);
    return isSettled(ctimeMs, lookedAt) ? `${dev}:${ino}:${mtimeMs}:${ctimeMs}` : null;
  } catch {
    return null;
  }
}

/** Whether every change after a look has another time than this one. A share's clock may run ahead. */
export function isSettled(changedAt: number, lookedAt: number): boolean {
  const tick = changedAt % 1000 === 0 ? COARSE_MS : TICK_MS;
  return changedAt < lookedAt - tick;
}
