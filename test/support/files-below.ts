import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface FileBelow {
  readonly path: string;
  /** Undefined for what is no regular file. */
  readonly bytes: Buffer | undefined;
}

/**
 * Everything below a folder that a program at work may be changing: what goes away under the walk is left out, and nothing else is lost by it.
 *
 * Throws any error of the system but that a file is not there.
 */
export function filesBelow(folder: string): readonly FileBelow[] {
  const entries = unlessGone<Dirent[]>(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return [{ path, bytes: undefined }, ...filesBelow(path)];
    if (!entry.isFile()) return [{ path, bytes: undefined }];
    const bytes = unlessGone(() => readFileSync(path));
    return bytes === undefined ? [] : [{ path, bytes }];
  });
}

function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
