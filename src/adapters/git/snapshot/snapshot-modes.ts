import { appendFileSync, existsSync, readFileSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { errorCode } from '../../../protocol/error.ts';
import { writeObject } from '../object-store/loose-object.ts';
import { lookListFile } from '../object-store/private-directory.ts';
import type { Repository } from '../object-store/repository.ts';
import { foldersAbove, lstatOrNull, toFullPath } from '../process/raw-path.ts';
import { cannotList } from './messages.ts';
import { type Access, findUsual, formatModes, type ModeTable, parseModes, toAccess, withSeen } from './permissions.ts';
import { readBlobs } from './work-file.ts';

/*
 * A snapshot looks only at files that changed since the one before, and so does its table of modes: it is kept beside the index, as a blob
 * that the name of the index tells. A folder whose mode changes is no change for git, and a file only where that is in another second than
 * the change before it. So all folders that ever held something are listed, and for a while what changed in the last moment, and looked at
 * each time.
 */

/** Looked at each time; in a larger tree the rest is looked at only when something in it changes. */
const MOST_FOLDERS = 10_000;

/** Files that changed in the last moment, and for how long they are looked at again. */
const MOST_RECENT = 2000;
const RECENT_MS = 60_000;

/** True for a file that may change once more in the same second. */
export function isRecent({ ctimeMs }: Stats): boolean {
  return ctimeMs > Date.now() - 2000;
}

/** The name for the table in which all is as git makes it. */
export const USUAL = '';

/** The table that a snapshot or an index names; null if it is gone. */
export async function readModes(repository: Repository, name: string): Promise<ModeTable | null> {
  if (name === USUAL) return usualTable(repository);
  const [content = null] = await readBlobs(repository, [name]);
  return content === null ? null : parseModes(content);
}

/** Keeps a table among the objects, and tells its name. */
export function keepModes(repository: Repository, table: ModeTable): string {
  const content = formatModes(table);
  if (content.equals(formatModes(usualTable(repository)))) return USUAL;
  return writeObject(repository, 'blob', content, 'save the file permissions');
}

/** The files that a snapshot came upon. */
export interface SeenInSnapshot {
  /** The access to the files it takes in, by raw path; null for a link. */
  readonly taken: ReadonlyMap<string, Access | null>;
  /** Raw paths of files that are in it no more. */
  readonly dropped: readonly string[];
  /** Raw paths of files that may change once more in the same second. */
  readonly recent: readonly string[];
}

/** How a snapshot looked. */
interface Looked {
  /** The table before knows of nothing yet. */
  readonly isFirst: boolean;
  /** No change of a file in the last moment was missed. */
  readonly isExact: boolean;
  /** Nothing but the files it takes in, and the folders that they are in. */
  readonly isPart?: boolean;
}

/** The table of a snapshot, made from the one before. */
export function lookAtModes(
  repository: Repository,
  table: ModeTable,
  { taken, dropped, recent }: SeenInSnapshot,
  { isFirst, isExact, isPart = false }: Looked,
): ModeTable {
  const seen = new Map<string, Access | null>();
  const above = new Set<string>();
  for (const path of [...taken.keys(), ...dropped]) for (const folder of foldersAbove(path)) above.add(folder);
  // The list for the next time takes the new folders in, even where nobody looks at the others.
  const folders = listFolders(repository, table, above);
  for (const folder of isPart ? above : folders) note(repository, seen, folder);
  const again = listRecent(repository, recent);
  if (!isExact) for (const path of again) note(repository, seen, path);
  for (const [path, access] of taken) seen.set(path, access);
  for (const path of dropped) seen.set(path, null);
  return withSeen(isFirst ? { ...table, usual: findUsual(seen, table.usual) } : table, seen);
}

/** Names the table that another becomes by what lies at some paths now, and by the folders above them. */
export async function lookAgainAt(repository: Repository, name: string, paths: readonly string[]): Promise<string> {
  const table = await readModes(repository, name);
  const seen = new Map<string, Access | null>();
  for (const path of new Set(paths.flatMap((one) => [...foldersAbove(one), one]))) note(repository, seen, path);
  const next = table === null ? null : withSeen(table, seen);
  return next === null || next === table ? name : keepModes(repository, next);
}

function usualTable({ root }: Repository): ModeTable {
  const { uid = 0, gid = 0 } = lstatOrNull(root) ?? {};
  return { usual: { file: 0o644, program: 0o755, folder: 0o755, uid, gid }, unusual: new Map() };
}

/** The content of a folder that is closed to us stays as it is known: we cannot have changed it. */
function note({ root }: Repository, seen: Map<string, Access | null>, path: string): void {
  const isFolder = path.endsWith('/');
  try {
    const stat = lstatOrNull(toFullPath(root, isFolder ? path.slice(0, -1) : path));
    seen.set(path, stat === null || stat.isDirectory() !== isFolder ? null : toAccess(stat));
  } catch (thrown) {
    if (errorCode(thrown) !== 'EACCES') throw thrown;
  }
}

/** All folders to look at. Those that are new are listed for the next time. */
function listFolders(repository: Repository, { unusual }: ModeTable, above: ReadonlySet<string>): ReadonlySet<string> {
  const file = lookListFile(repository, 'folders');
  const listed = readList(file);
  const known = new Set(listed);
  const fresh = [...above].filter((folder) => !known.has(folder));
  // Most of those in a long list may be gone; who is missed in it is listed again with the next change.
  listAlso(file, fresh, { isAnew: listed.length > 2 * MOST_FOLDERS });
  const named = [...unusual.keys()].filter((path) => path.endsWith('/'));
  return new Set([...above, ...named, ...[...known].slice(-MOST_FOLDERS)]);
}

/** Files to look at once more; those of this snapshot are listed for the next ones. */
function listRecent(repository: Repository, recent: readonly string[]): ReadonlySet<string> {
  const file = lookListFile(repository, 'recent');
  const { mtimeMs = 0 } = lstatOrNull(file) ?? {};
  const listed = mtimeMs === 0 ? [] : readList(file);
  const isOld = mtimeMs < Date.now() - RECENT_MS;
  if (isOld) rmSync(file, { force: true });
  const isAnew = isOld || listed.length > MOST_RECENT;
  const known = new Set(isAnew ? [] : listed);
  listAlso(
    file,
    recent.slice(0, MOST_RECENT).filter((path) => !known.has(path)),
    { isAnew },
  );
  return new Set(listed.slice(-MOST_RECENT));
}

function readList(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, 'latin1').split('\0').slice(0, -1) : [];
}

function listAlso(file: string, paths: readonly string[], { isAnew }: { readonly isAnew: boolean }): void {
  if (paths.length === 0) return;
  const text = paths.map((path) => `${path}\0`).join('');
  try {
    (isAnew ? writeFileSync : appendFileSync)(file, text, { encoding: 'latin1', mode: 0o600 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw cannotList(file, why, cause);
  }
}
