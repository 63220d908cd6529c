import {
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { succeeds } from '../../../core/text/attempt.ts';
import type { FileVersion } from '../../../protocol/checkpoint.ts';
import { AishError, errorCode } from '../../../protocol/error.ts';
import { isProcessAlive } from '../../system/processes.ts';
import { nameObject, readLooseObject, writeObject } from '../object-store/loose-object.ts';
import { openRoom, privateEnvironment } from '../object-store/private-directory.ts';
import type { Repository } from '../object-store/repository.ts';
import { isWithheld, keepWithheldContent, readWithheldContent } from '../object-store/withheld.ts';
import { readGit } from '../process/git-process.ts';
import { foldersAbove, isGitDataName, lstatOrNull, toFullPath } from '../process/raw-path.ts';
import { BEYOND_LINK, GIT_DATA, MOUNTED, OTHER_REPOSITORY, OUTSIDE_TREE } from './messages.ts';
import { chooseAccess, giveAccess, type KnownAccess } from './permissions.ts';
import { LARGEST_FILE } from './snapshot-limits.ts';

/** A file's or link's bytes, and how a snapshot names them. */
interface WorkFile {
  readonly version: FileVersion;
  readonly content: Buffer;
}

/** Why a path may not be touched; null if it may. Nothing is reached through a symbolic link, and nothing of git's own. */
export function refusePath(root: string, path: string): string | null {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return OUTSIDE_TREE;
  if (parts.some((_, depth) => isGitData(root, parts.slice(0, depth + 1)))) return GIT_DATA;
  for (const parent of listParents(path)) {
    const stat = lstatOrNull(toFullPath(root, parent));
    if (stat?.isSymbolicLink()) return BEYOND_LINK;
    if (stat?.isDirectory() && lstatOrNull(toFullPath(root, `${parent}/.git`))) return OTHER_REPOSITORY;
  }
  return null;
}

/** True if a parent directory of a path is a symbolic link now. */
export function isBeyondLink(root: string, path: string): boolean {
  return listParents(path).some((parent) => lstatOrNull(toFullPath(root, parent))?.isSymbolicLink() === true);
}

/** The directories between a root and a path, outermost first, from the root on. */
function listParents(path: string): readonly string[] {
  return foldersAbove(path).map((folder) => folder.slice(0, -1));
}

/** True for `.git` itself, and for a name that the file system of the place takes for it. */
function isGitData(root: string, parts: readonly string[]): boolean {
  const name = parts.at(-1) ?? '';
  if (name === '.git') return true;
  if (!isGitDataName(name)) return false;
  const [named, own] = [parts, [...parts.slice(0, -1), '.git']].map((one) =>
    lstatOrNull(toFullPath(root, one.join('/'))),
  );
  return named != null && own != null && named.dev === own.dev && named.ino === own.ino;
}

/** How a snapshot would name what lies at a path now; null for nothing, `other` for what no snapshot can hold. */
export function readFileState(repository: Repository, path: string): FileVersion | null | 'other' {
  const file = readFile(repository, path);
  return file === null || file === 'other' ? file : file.version;
}

/** Reads what lies at a path now. A directory counts as nothing: what is in it has paths of its own. */
export function readFile(repository: Repository, path: string): WorkFile | null | 'other' {
  const full = toFullPath(repository.root, path);
  const stat = lstatOrNull(full);
  if (stat === null || stat.isDirectory()) return null;
  const isLink = stat.isSymbolicLink();
  if (!isLink && (!stat.isFile() || stat.size > LARGEST_FILE)) return 'other';
  try {
    const content = isLink ? readlinkSync(full, { encoding: 'buffer' }) : readFileSync(full);
    const mode = (stat.mode & 0o100) === 0 ? '100644' : '100755';
    return { version: { mode: isLink ? '120000' : mode, blob: nameObject(repository, 'blob', content) }, content };
  } catch (thrown) {
    if (errorCode(thrown) === '') throw thrown;
    // Gone between two looks, or not ours to read.
    return errorCode(thrown) === 'ENOENT' ? null : 'other';
  }
}

/** True if both name the same thing. */
export function isSameState(one: FileVersion | null | 'other', other: FileVersion | null | 'other'): boolean {
  if (one === null || other === null || one === 'other' || other === 'other') return one === other;
  return one.mode === other.mode && one.blob === other.blob;
}

/**
 * Puts a file or link in place in one step: readers see the old one or the new one. It is made in a folder of ours, so that a kill leaves
 * nothing in the work tree; only where that lies on another disk is it made beside its place.
 */
export function putFile(repository: Repository, path: string, { mode, content, known, twin }: NewFile): void {
  const full = toFullPath(repository.root, path);
  const parent = toFullPath(repository.root, path.split('/').slice(0, -1).join('/'));
  const present = lstatOrNull(full);
  const give = (fresh: Buffer) =>
    giveAccess(fresh, chooseAccess(present, mode, known), mode === '100755' ? 0o777 : 0o666);
  const move = (fresh: Buffer): boolean => {
    try {
      if (mode === '120000') symlinkSync(content, fresh);
      else if (twin === null || !mayLink(toFullPath(repository.root, twin), fresh)) {
        writeFileSync(fresh, content, { flag: 'wx', mode: 0o600 });
        give(fresh);
      }
      if (lstatOrNull(full)?.isDirectory()) rmdirSync(full);
      renameSync(fresh, full);
      return true;
    } catch (thrown) {
      rmSync(fresh, { force: true });
      if (errorCode(thrown) === 'EXDEV') return false;
      throw thrown;
    }
  };
  const name = `${process.pid}~${crypto.randomUUID()}`;
  if (move(Buffer.from(join(openRoom(repository, 'fresh'), name)))) return;
  sweepBeside(parent);
  if (!move(Buffer.concat([parent, Buffer.from(`/${BESIDE}${name}`)])))
    throw new AishError('checkpoint.not-restored', MOUNTED);
}

/** A file or link to put in place: its mode as git has it, its bytes, and what is known of who may read it. */
interface NewFile {
  readonly mode: string;
  readonly content: Buffer;
  readonly known: KnownAccess;
  /** A path put in place before with the same, that it was another name of; null for none. */
  readonly twin: string | null;
}

function mayLink(from: Buffer, to: Buffer): boolean {
  // Not every file system gives a file two names, and none across disks.
  return succeeds(() => linkSync(from, to));
}

const BESIDE = '.aish-fresh-';

/** True for a file that `putFile` makes beside its place; one that is still there was left by a kill. */
export function isFreshFile(path: string): boolean {
  return path.slice(path.lastIndexOf('/') + 1).startsWith(BESIDE);
}

function sweepBeside(parent: Buffer): void {
  for (const name of readdirSync(parent, { encoding: 'buffer' })) {
    const text = name.toString('latin1');
    if (!text.startsWith(BESIDE) || isProcessAlive(Number.parseInt(text.slice(BESIDE.length), 10))) continue;
    rmSync(Buffer.concat([parent, Buffer.from('/'), name]), { force: true });
  }
}

/** Removes a file, and the directories that are empty without it, except `keep`. */
export function removeFile(root: string, path: string, keep: string): void {
  rmSync(toFullPath(root, path));
  const parents = path.split('/').slice(0, -1);
  for (let depth = parents.length; depth > 0; depth -= 1) {
    const directory = toFullPath(root, parents.slice(0, depth).join('/'));
    if (directory.toString('utf8') === keep || readdirSync(directory).length > 0) return;
    rmdirSync(directory);
  }
}

/** Reads contents in the order they are named, withheld ones and those of git; null for one that is missing. */
export async function readBlobs(repository: Repository, blobs: readonly string[]): Promise<readonly (Buffer | null)[]> {
  const found = blobs.map(
    (blob) => readWithheldContent(repository.withheldFolder, blob) ?? readLooseObject(repository, 'blob', blob),
  );
  const others = await readFromGit(
    repository,
    blobs.filter((_, at) => found[at] === null),
  );
  let next = 0;
  return found.map((content) => content ?? others[next++] ?? null);
}

/** With one git process for all. */
async function readFromGit(repository: Repository, blobs: readonly string[]): Promise<readonly (Buffer | null)[]> {
  if (blobs.length === 0) return [];
  const call = { ...repository.place, env: privateEnvironment(repository), args: ['cat-file', '--batch'] };
  const output = await readGit({ ...call, input: blobs.map((blob) => `${blob}\n`).join('') }, 'read the checkpoint');
  const contents: (Buffer | null)[] = [];
  let at = 0;
  for (const _ of blobs) {
    const end = output.indexOf(10, at);
    const [, kind, size] = output.toString('latin1', at, end).split(' ');
    const length = kind === 'blob' ? Number(size) : null;
    contents.push(length === null ? null : output.subarray(end + 1, end + 1 + length));
    at = end + 1 + (length === null ? 0 : length + 1);
  }
  return contents;
}

/** Keeps the bytes of a file where a snapshot keeps the path, and returns their name. */
export async function keepContent(
  repository: Repository,
  path: string,
  { mode, content }: { readonly mode: string; readonly content: Buffer },
): Promise<string> {
  if (!isWithheld(path, mode === '120000')) return writeObject(repository, 'blob', content, 'save the restored file');
  const blob = nameObject(repository, 'blob', content);
  keepWithheldContent(repository.withheldFolder, blob, content);
  return blob;
}
