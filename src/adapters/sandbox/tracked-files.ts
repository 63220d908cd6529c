import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const VERSION_AT = 4;
/** From this version on, names are kept as differences from the one before. */
const COMPRESSED = 4;

/** True where git knows one of these files, or may: it would take one that it cannot read for changed. */
export function isAnyTracked(project: string, files: readonly string[]): boolean {
  const names = files.map((file) => relative(project, file)).filter((name) => !name.startsWith('..'));
  if (names.length === 0) return false;
  try {
    const index = readFileSync(join(project, '.git', 'index'));
    return index.readUInt32BE(VERSION_AT) >= COMPRESSED || names.some((name) => index.includes(`${name}\0`));
  } catch {
    return true;
  }
}
