import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Candidate } from '../../core/completion/completion.ts';
import { compareNames, takeBestFits } from '../../core/completion/rank-match.ts';
import { isHidden } from '../../core/hidden-character.ts';
import { isExecutable } from '../system/executable.ts';
import { isDirectory } from '../system/presence.ts';

/** What is wanted of a folder. */
export interface PathsRequest {
  readonly folder: string;
  /** The beginning of the name as typed; names that begin with a dot only count when it does. */
  readonly typed: string;
  /** Folders lead to what is wanted, so they always count. */
  readonly only?: 'folder' | 'program';
}

/** Most names offered at once. */
const MOST_NAMES = 2000;
/** So many names are looked at closely, to mark programs. */
const FEW_NAMES = 300;

type Kind = 'folder' | 'link' | 'program' | 'file';

const MARKS: Readonly<Record<Kind, string>> = { folder: '/', link: '@', program: '*', file: '' };

/** Names in a folder that fit what is typed, with the marks that `ls -F` gives them; none where there is no such folder. */
export async function listPaths({ folder, typed, only }: PathsRequest): Promise<readonly Candidate[]> {
  const parent = typed === '..' ? [toCandidate('..', 'folder')] : [];
  const entries = (await tryList(folder)).filter(({ name }) => isWanted(name, typed));
  entries.sort((one, other) => compareNames(one.name, other.name));
  const best = takeBestFits(entries, typed, ({ name }) => name).slice(0, MOST_NAMES);
  const isFew = best.length <= FEW_NAMES || only === 'program';
  const kinds = await Promise.all(best.map((entry) => kindOf(entry, join(folder, entry.name), isFew)));
  const found = best.flatMap(({ name }, at) => {
    const kind = kinds[at] ?? 'file';
    return only === undefined || kind === 'folder' || kind === only ? [toCandidate(name, kind)] : [];
  });
  return [...parent, ...found];
}

function toCandidate(name: string, kind: Kind): Candidate {
  const label = `${showName(name)}${MARKS[kind]}`;
  return kind === 'folder' ? { value: `${name}/`, label, suffix: '' } : { value: name, label };
}

/** A name that holds hidden characters shows a question mark for each, as `ls` does at a terminal. */
function showName(name: string): string {
  return [...name].map((character) => (isHidden(character.codePointAt(0) ?? 0) ? '?' : character)).join('');
}

/** Hidden names only when they are asked for. */
function isWanted(name: string, typed: string): boolean {
  return typed.startsWith('.') || !name.startsWith('.');
}

async function kindOf(entry: Entry, path: string, looksClosely: boolean): Promise<Kind> {
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return (await isDirectory(path)) ? 'folder' : 'link';
  return looksClosely && entry.isFile() && (await isExecutable(path)) ? 'program' : 'file';
}

type Entry = Pick<Dirent, 'name' | 'isDirectory' | 'isSymbolicLink' | 'isFile'>;

async function tryList(folder: string): Promise<Entry[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const isText = ({ name }: Entry): boolean => !name.includes('\ufffd');
    return entries.every(isText) ? entries : [...entries.filter(isText), ...(await listUndecodable(folder))];
  } catch {
    return [];
  }
}

/** Names that are no UTF-8: each such byte stands as half a surrogate pair, which becomes the byte again when it is quoted. */
async function listUndecodable(folder: string): Promise<readonly Entry[]> {
  const names = (await readdir(folder, { encoding: 'buffer' })).filter((name) => name.toString().includes('\ufffd'));
  return Promise.all(
    names.map(async (name) => {
      const found = await stat(Buffer.concat([Buffer.from(`${folder}/`), name]));
      const text = name
        .toString('latin1')
        .replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
      return { name: text, isDirectory: () => found.isDirectory(), isSymbolicLink: () => false, isFile: () => false };
    }),
  );
}
