import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Bytes of all files below a directory. What goes away meanwhile, or cannot be read, counts as nothing. */
export function directorySize(path: string): number {
  let bytes = 0;
  for (const entry of entriesOf(path)) {
    const full = join(path, entry.name);
    bytes += entry.isDirectory() ? directorySize(full) : (lstatSync(full, { throwIfNoEntry: false })?.size ?? 0);
  }
  return bytes;
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    return [];
  }
}
