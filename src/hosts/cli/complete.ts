import { readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { completeMetaCommand, isMetaLine, type MetaNames } from '../../core/meta-command.ts';
import type { Completion } from './editor/completion-menu.ts';

/** Most paths offered at once. */
const MOST_PATHS = 200;

/** What can stand at the cursor: the table of meta-commands behind a colon, paths anywhere else. */
export function completeLine(text: string, cursor: number, cwd: string, names: MetaNames): readonly Completion[] {
  const before = text.slice(0, cursor);
  if (isMetaLine(before)) {
    return completeMetaCommand(before, names).map((candidate) => ({ ...candidate }));
  }
  const handle = /^\s*(%\d*)$/.exec(before)?.[1];
  if (handle !== undefined) return completeHandle(handle, before, names);
  return completePath(before, cwd);
}

/** Handles of outputs at the beginning of a line. */
function completeHandle(word: string, before: string, names: MetaNames): readonly Completion[] {
  const start = before.length - word.length;
  return names('output')
    .filter((name) => name.startsWith(word))
    .map((text) => ({ start, text }));
}

/** Paths that begin as the word before the cursor does; blanks in them are escaped. */
function completePath(before: string, cwd: string): readonly Completion[] {
  const word = /(?:\\.|[^\s\\"'=:;|&<>()])*$/.exec(before)?.[0] ?? '';
  const start = before.length - word.length;
  const plain = word.replace(/\\(.)/g, '$1');
  const slash = plain.lastIndexOf('/') + 1;
  const folder = plain.slice(0, slash);
  const beginning = plain.slice(slash);
  return listFolder(expandHome(folder), cwd)
    .filter((name) => name.startsWith(beginning) && (beginning.startsWith('.') || !name.startsWith('.')))
    .slice(0, MOST_PATHS)
    .map((name) => toCompletion(start, folder, name, join(expandHome(folder), name), cwd));
}

function toCompletion(start: number, folder: string, name: string, path: string, cwd: string): Completion {
  const isFolder = isDirectory(resolve(cwd, path));
  const text = escapeWord(`${folder}${name}${isFolder ? '/' : ''}`);
  return isFolder ? { start, text, label: `${name}/`, suffix: '' } : { start, text, label: name };
}

function expandHome(folder: string): string {
  return folder === '~/' || folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : folder;
}

function listFolder(folder: string, cwd: string): readonly string[] {
  try {
    return readdirSync(resolve(cwd, folder === '' ? '.' : dirname(join(folder, 'x')))).sort();
  } catch {
    return [];
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function escapeWord(word: string): string {
  return word.replace(/[\s\\"'`$&|;<>()*?![\]{}#]/g, '\\$&');
}
