import { readdir } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { compareNames } from '../../core/completion/completion.ts';
import { isThere } from '../system/file-status.ts';

const GLOB = /[*?[]/;
/** Folders that one pattern may look into. */
const MOST_FOLDERS = 2000;

/** The paths that a pattern of a shell stands for, written as the pattern is: relative where it is. */
export async function expandGlob(pattern: string, cwd: string): Promise<readonly string[]> {
  const parts = pattern.split('/');
  let found: readonly string[] = [isAbsolute(pattern) ? '/' : ''];
  for (const part of isAbsolute(pattern) ? parts.slice(1) : parts) {
    if (part === '') continue;
    const steps = await Promise.all(found.slice(0, MOST_FOLDERS).map((folder) => step(folder, part, cwd)));
    found = steps.flat();
  }
  return found;
}

/** One part of the pattern below one folder. `**` is no more than `*`, as it is in bash until told otherwise. */
async function step(folder: string, part: string, cwd: string): Promise<readonly string[]> {
  if (!GLOB.test(part)) {
    const path = join(folder, part);
    return (await isThere(isAbsolute(path) ? path : join(cwd, path))) ? [path] : [];
  }
  const names = await tryList(isAbsolute(folder) ? folder : join(cwd, folder));
  const glob = new Bun.Glob(part.replace(/\*+/g, '*').replace(/[{}]/g, '\\$&'));
  return names
    .filter((name) => (part.startsWith('.') || !name.startsWith('.')) && glob.match(name))
    .sort(compareNames)
    .map((name) => join(folder, name));
}

async function tryList(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.includes('\ufffd'));
  } catch {
    return [];
  }
}
