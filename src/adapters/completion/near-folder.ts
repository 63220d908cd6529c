import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findExpected } from '../../core/completion/argument-kind.ts';
import { findCursorContext } from '../../core/completion/cursor-context.ts';
import { quoteName } from '../../core/completion/scan-line.ts';
import { nearestNames } from '../../core/text/nearest.ts';
import { isDirectory } from '../system/file-status.ts';

/** A name of two letters is near to too many others. */
const SHORTEST = 3;

/** The shell makes another name of the word. */
const EXPANDED = /[$`*?[{]/;

/** The first command of a line that goes on. */
const FIRST_COMMAND = /^[^;&|\n]*?(?=\s*(?:;|&&|\|\|))/;

/** A failed line with the folder that it probably meant; null if its folder exists, or if no name is near. */
export async function findLineWithNearFolder(line: string, cwd: string): Promise<string | null> {
  const first = FIRST_COMMAND.exec(line)?.[0] ?? line;
  const context = findCursorContext(first, first.length);
  if (context === null || context.place !== 'argument' || context.words.length !== 1 || context.word.start === 0)
    return null;
  const { value, start, raw } = context.word;
  const names = context.words.map((word) => word.value);
  if (value === '' || EXPANDED.test(raw) || findExpected(names, value)?.kinds.includes('folder') !== true) return null;
  const folder = await findNearFolder(value, cwd);
  return folder === null ? null : line.slice(0, start) + quotePath(folder) + line.slice(start + raw.length);
}

/** The path with each missing name replaced by the nearest name of a folder; null if nothing is missing, or if no name is near. */
async function findNearFolder(path: string, cwd: string): Promise<string | null> {
  const parts = path.split('/');
  let place = parts[0] === '' ? '/' : parts[0] === '~' ? homedir() : cwd;
  const found: string[] = [];
  for (const [at, part] of parts.entries()) {
    const isGiven = part === '' || (at === 0 && part === '~') || (await isDirectory(join(place, part)));
    const name = isGiven ? part : await findNearName(part, place);
    if (name === null) return null;
    found.push(name);
    if (name !== '~' || at > 0) place = join(place, name);
  }
  const meant = found.join('/');
  return meant === path ? null : meant;
}

async function findNearName(name: string, place: string): Promise<string | null> {
  if (name.length < SHORTEST) return null;
  const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map((entry) => entry.name);
  for (const near of nearestNames(name, names)) if (await isDirectory(join(place, near))) return near;
  return null;
}

/** A tilde at the beginning keeps its meaning. */
function quotePath(path: string): string {
  const home = path === '~' || path.startsWith('~/') ? '~' : '';
  return home + quoteName(path.slice(home.length), 'none');
}
