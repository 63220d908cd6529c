import { readStatus } from './file-status.ts';

/** Whether something stands at a path; one that cannot be looked at counts as not there. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await readStatus(path);
    return true;
  } catch {
    return false;
  }
}

/** Whether a path leads to a directory, through links too. */
export async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await readStatus(path)).isDirectory();
  } catch {
    return false;
  }
}
