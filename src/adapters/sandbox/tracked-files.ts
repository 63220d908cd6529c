import { readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const VERSION_AT = 4;
/** From this version on, names are kept as differences from the one before. */
const COMPRESSED = 4;

/** Those of some files that git knows, or may know, by their path in the project: it would take one that it cannot read for changed. */
export function trackedAmong(project: string, files: readonly string[]): readonly string[] {
  const names = files.map((file) => relative(project, file)).filter((name) => !name.startsWith('..'));
  if (names.length === 0) return names;
  try {
    const index = readIndex(project);
    if (index === null) return [];
    return index.readUInt32BE(VERSION_AT) >= COMPRESSED ? names : names.filter((name) => index.includes(`${name}\0`));
  } catch {
    return names;
  }
}

/** Null for a repository that has none yet. A linked work tree has one of its own. */
function readIndex(project: string): Buffer | null {
  const git = join(project, '.git');
  const folder = statSync(git).isDirectory() ? git : linkedFolder(project, git);
  if (statSync(join(folder, 'index'), { throwIfNoEntry: false }) === undefined) return null;
  return readFileSync(join(folder, 'index'));
}

function linkedFolder(project: string, git: string): string {
  const written = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
  return resolve(project, written ?? '.git');
}
