import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemCalls } from './system-calls.ts';

/** A younger folder may be one whose maker has not come to hold it yet. */
const YOUNG_MS = 5_000;
const LOCK = 'lock';

/** Holds a folder of this process until it ends, however it does: nobody takes it for abandoned. The answer lets it go. */
export function holdFolder(folder: string): () => void {
  const fd = openSync(join(folder, LOCK), 'w', 0o600);
  systemCalls()?.lock(fd);
  let isHeld = true;
  return () => {
    if (isHeld) closeSync(fd);
    isHeld = false;
  };
}

/**
 * Removes what processes left that were killed: their folders hold what a shell exported, secrets among it. Only folders that were held
 * and are no more; where locks cannot be had, none. Never throws.
 */
export function removeAbandoned(parent: string, isOurs: (name: string) => boolean, now: number): void {
  const calls = systemCalls();
  if (calls === null) return;
  for (const name of namesIn(parent).filter(isOurs)) {
    const folder = join(parent, name);
    try {
      if (now - statSync(folder).mtimeMs < YOUNG_MS) continue;
      const fd = openSync(join(folder, LOCK), 'r+');
      const isAbandoned = calls.lock(fd);
      if (isAbandoned) rmSync(folder, { recursive: true, force: true });
      closeSync(fd);
    } catch {
      // Never held, or gone meanwhile, or somebody else's.
    }
  }
}

function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent);
  } catch {
    return [];
  }
}
