import { accessSync, constants, statSync } from 'node:fs';
import { mayRun, readStatus } from './file-status.ts';

/** Whether a path is a file that we may run; waits for no disk. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    return (await mayRun(path)) && (await readStatus(path)).isFile();
  } catch {
    return false;
  }
}

/** The same at once, for what cannot go on without the answer. */
export function isExecutableNow(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
