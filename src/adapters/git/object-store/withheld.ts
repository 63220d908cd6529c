import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { liesInSecretFolder, mayHoldSecret } from '../../../core/commands/protected-files.ts';
import { attempt } from '../../../core/text/attempt.ts';
import type { FileVersion } from '../../../protocol/checkpoint.ts';
import { type Environment, toPaths } from '../../config/paths.ts';
import { ensureFile, readOwnFile, writeAtomically } from '../../system/own-file.ts';
import { formatRawPath, isForbiddenByGit } from '../process/raw-path.ts';
import { privateFilesFailed } from './messages.ts';

/*
 * Everybody who reads the repository, or whom it is pushed to, reads its objects. So files that may hold a secret are withheld from the
 * trees of snapshots, tracked or not, and so is what no tree can hold. A snapshot keeps them in a list of its own, in a folder outside of
 * the repository that is open to its owner alone; in the repository there is only the name of the list, which reveals nothing of what is in
 * it.
 */

/** The content of a snapshot: a tree of git, and a list of the files withheld from it. */
export interface SnapshotContent {
  readonly tree: string;
  /** Names the list; empty if nothing is withheld, null for a snapshot from before there were lists. */
  readonly withheld: string | null;
}

/** True if both hold the same. */
export function isSameContent(one: SnapshotContent, other: SnapshotContent): boolean {
  return one.tree === other.tree && one.withheld === other.withheld;
}

/** True for a raw path that is kept in no tree of a snapshot. */
export function isWithheld(path: string, isLink: boolean): boolean {
  const name = formatRawPath(path.slice(path.lastIndexOf('/') + 1)).toLowerCase();
  return mayHoldSecret(name) || liesInSecretFolder(path) || isForbiddenByGit(path, isLink);
}

/** True for a version of a path that is kept in no tree of a snapshot. */
export function isVersionWithheld(path: string, { mode }: FileVersion): boolean {
  return isWithheld(path, mode === '120000');
}

/** The files withheld from a snapshot, by raw path; null if nobody knows them any more. */
export function readWithheld(
  { withheldFolder }: { readonly withheldFolder: string },
  { withheld }: Pick<SnapshotContent, 'withheld'>,
): ReadonlyMap<string, FileVersion> | null {
  return withheld === null ? null : readWithheldList(withheldFolder, withheld);
}

/*
 * A store has a folder of contents, each named as git would name it, and a folder of lists: which path held which content. A list is
 * named by a hash of it and of a key that never leaves the store, so that its name, which stands in a repository, confirms no guess.
 */

/** No list: nothing is withheld. */
export const NO_LIST = '';

const LIST_NAME = /^[0-9a-f]{64}$/;
const CONTENT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** A store whose git data is gone stays for a while: its disk may come back. */
const GONE_MS = 30 * 86_400_000;

/** A younger file may belong to a snapshot that no checkpoint names yet. */
const YOUNG_MS = 600_000;

/** The folder of the store that belongs to a git directory; it need not exist yet. */
export function withheldFolder(commonDirectory: string, env: Environment): string {
  return findStore(storesFolder(env), commonDirectory);
}

/** The name of a list as the note of a checkpoint holds it; null for any other text. */
export function readListName(name: string | null): string | null {
  return name === NO_LIST || (name !== null && LIST_NAME.test(name)) ? name : null;
}

/** Keeps a content under the name that git would give it. */
export function keepWithheldContent(folder: string, blob: string, content: Buffer): void {
  keeping(folder, () => keepYoung(join(folder, 'contents', blob), content));
}

/** Keeps a list and returns its name. The contents are there already. `owner` is the git directory that the store belongs to. */
export function keepWithheldList(folder: string, owner: string, files: ReadonlyMap<string, FileVersion>): string {
  if (files.size === 0) {
    openStore(folder, owner);
    return NO_LIST;
  }
  return keeping(folder, () => {
    if (readOwnFile(join(folder, 'owner')) === null) removeOwnerlessIn(dirname(folder));
    ensureFile(join(folder, 'owner'), owner);
    const key = readKey(folder);
    nameStore(folder, owner);
    const rows = [...files].map(([path, { mode, blob }]) => `${mode} ${blob} ${path}\0`).sort();
    const bytes = Buffer.from(rows.join(''), 'latin1');
    const name = new Bun.CryptoHasher('sha256', key).update(bytes).digest('hex');
    keepYoung(join(folder, 'lists', name), bytes);
    return name;
  });
}

/** Lets a repository name its store before there is anything in it: what was kept in git goes along with a move, too. */
function openStore(folder: string, owner: string): void {
  try {
    keeping(folder, () => readKey(folder));
    nameStore(folder, owner);
  } catch {
    // A step need not wait for a store as long as nothing is withheld.
  }
}

/** Reads a list back, by raw path; null if it is not there. */
export function readWithheldList(folder: string, name: string): ReadonlyMap<string, FileVersion> | null {
  if (name === NO_LIST) return new Map();
  const bytes = LIST_NAME.test(name) ? readBytes(join(folder, 'lists', name)) : null;
  if (bytes === null) return null;
  const files = new Map<string, FileVersion>();
  for (const row of bytes.toString('latin1').split('\0')) {
    const [, mode, blob, path] = /^(\d{6}) ([0-9a-f]+) (.+)$/s.exec(row) ?? [];
    if (mode !== undefined && blob !== undefined && path !== undefined) files.set(path, { mode, blob });
  }
  return files;
}

/** Reads a content back; null if it is not there. */
export function readWithheldContent(folder: string, blob: string): Buffer | null {
  return CONTENT_NAME.test(blob) ? readBytes(join(folder, 'contents', blob)) : null;
}

/** Bytes of the contents that some lists name, each counted once. */
export function withheldBytes(folder: string, names: Iterable<string>): number {
  let bytes = 0;
  for (const blob of contentsOf(folder, names)) bytes += statOf(join(folder, 'contents', blob))?.size ?? 0;
  return bytes;
}

/** Removes the lists that no checkpoint names, and what only they named; but for what is so young that it may be named soon. */
export function sweepWithheld(folder: string, named: ReadonlySet<string>, now = Date.now()): void {
  const isOld = (path: string) => (statOf(path)?.mtimeMs ?? now) < now - YOUNG_MS;
  const kept = new Set(named);
  for (const name of entriesOf(join(folder, 'lists'))) {
    const path = join(folder, 'lists', name);
    if (!named.has(name) && isOld(path)) rmSync(path, { force: true });
    else kept.add(name);
  }
  const used = contentsOf(folder, kept);
  for (const blob of entriesOf(join(folder, 'contents'))) {
    const path = join(folder, 'contents', blob);
    if (!used.has(blob) && isOld(path)) rmSync(path, { force: true });
  }
}

/** Removes a store with all in it. */
export function removeWithheld(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Removes the stores whose git data has been gone for a while. */
export function removeOwnerless(env: Environment): void {
  removeOwnerlessIn(storesFolder(env));
}

function removeOwnerlessIn(stores: string): void {
  for (const name of entriesOf(stores)) {
    const folder = join(stores, name);
    const owner = readOwnFile(join(folder, 'owner'));
    const last = Math.max(...['lists', 'contents'].map((room) => statOf(join(folder, room))?.mtimeMs ?? 0));
    if (owner !== null && !existsSync(owner) && last < Date.now() - GONE_MS) removeWithheld(folder);
  }
}

function storesFolder(env: Environment): string {
  return join(toPaths(env).state, 'checkpoints', 'withheld');
}

/** Does work in a store; the error of a failure names the folder. */
function keeping<T>(folder: string, work: () => T): T {
  try {
    for (const room of ['lists', 'contents']) mkdirSync(join(folder, room), { recursive: true, mode: 0o700 });
    return work();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw privateFilesFailed(folder, why, cause);
  }
}

function readKey(folder: string): string {
  const path = join(folder, 'key');
  const known = readOwnFile(path);
  if (known !== null) return known;
  // Two that begin at the same time come to different keys for a moment: then one content has two lists.
  ensureFile(path, Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex'));
  return readOwnFile(path) ?? '';
}

function contentsOf(folder: string, names: Iterable<string>): ReadonlySet<string> {
  const blobs = new Set<string>();
  for (const name of names) for (const { blob } of readWithheldList(folder, name)?.values() ?? []) blobs.add(blob);
  return blobs;
}

/** Writes a file, or makes it young again where it is kept already. A sweep of another process may remove it at the same time. */
function keepYoung(path: string, bytes: Buffer): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    writeAtomically(path, bytes);
  }
}

function readBytes(path: string): Buffer | null {
  return attempt(() => readFileSync(path), null);
}

function statOf(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}

function entriesOf(folder: string): readonly string[] {
  return attempt(() => readdirSync(folder), []);
}

/*
 * A repository says which store is its own, in a file of its git directory, so that it finds the store again when it was moved. The
 * file names the store and proves that aish wrote it, by a hash with the key of the store: a repository that came from elsewhere can
 * guess a name and no proof. The store says where its repository is. A copy of a repository has the same file at another place,
 * while the first one still has it: the copy gets a copy of the store.
 */

/** In a git directory: the name of its store, and the proof. The folder is made with the first snapshot, and anew in a copy. */
const NAME_FILE = 'aish/store';

/** In a store: the git directory that it belongs to. */
const OWNER = 'owner';

/** In a store whose repository names it: which directory that is. Another repository at the same path has another store. */
const NAMED = 'named';

/** In a store: where its repository was before, a line each. */
const FORMER = 'former';

/** The former places of the git directory of a store, the first place first. */
export function formerOwners(folder: string): readonly string[] {
  return (readOwnFile(join(folder, FORMER)) ?? '').split('\n').filter((path) => path !== '');
}

/** The folder of the store of a git directory, below the folder of all stores; it need not exist yet. */
function findStore(stores: string, gitDirectory: string): string {
  const name = readName(stores, gitDirectory);
  if (name === null) return findByPath(stores, gitDirectory);
  const folder = join(stores, name);
  const owner = readOwnFile(join(folder, OWNER));
  if (owner === gitDirectory) return folder;
  const isCopy = owner !== null && stampOf(owner) !== stampOf(gitDirectory) && readName(stores, owner) === name;
  const own = isCopy ? ownFolder(stores, gitDirectory) : folder;
  if (isCopy) copyStore(folder, own);
  nameStore(own, gitDirectory);
  return own;
}

/** Lets a store and its git directory name each other. If the git directory cannot be written to, its path names the store. */
function nameStore(folder: string, gitDirectory: string): void {
  const name = basename(folder);
  const proof = proofOf(folder, name);
  if (proof === null) return;
  try {
    const before = readOwnFile(join(folder, OWNER));
    if (before !== null && before !== gitDirectory)
      ensureFile(join(folder, FORMER), [...new Set([...formerOwners(folder), before])].join('\n'));
    ensureFile(join(folder, OWNER), gitDirectory);
    ensureFile(join(gitDirectory, NAME_FILE), `${name} ${proof}\n`);
    ensureFile(join(folder, NAMED), stampOf(gitDirectory));
  } catch {
    // A repository, or a state folder, that is read-only.
  }
}

/** A store from before repositories named theirs is named by the path. */
function findByPath(stores: string, gitDirectory: string): string {
  const folder = pathOf(stores, gitDirectory);
  nameStore(folder, gitDirectory);
  return folder;
}

/** The first store at a path is named by the path alone. */
function pathOf(stores: string, gitDirectory: string): string {
  const own = ownFolder(stores, gitDirectory);
  if (existsSync(own)) return own;
  const folder = join(stores, hashOf(gitDirectory));
  const named = readOwnFile(join(folder, NAMED));
  return named === null || named === stampOf(gitDirectory) ? folder : own;
}

/** For a copy, and for a repository at a path where another one was. */
function ownFolder(stores: string, gitDirectory: string): string {
  return join(stores, hashOf(gitDirectory, stampOf(gitDirectory)));
}

/** The name that aish gave the store of a git directory; null if there is none, or one that did not come from here. */
function readName(stores: string, gitDirectory: string): string | null {
  const text = readOwnFile(join(gitDirectory, NAME_FILE)) ?? '';
  const [, name = null, proof] = /^([0-9a-f]{32}) ([0-9a-f]{64})\n$/.exec(text) ?? [];
  return name !== null && proof === proofOf(join(stores, name), name) ? name : null;
}

/** Null for a store that has no key yet. */
function proofOf(folder: string, name: string): string | null {
  const key = readOwnFile(join(folder, 'key'));
  return key === null ? null : new Bun.CryptoHasher('sha256', key).update(`store ${name}`).digest('hex');
}

/** Nobody ever meets half of it, and of several processes one makes it. */
function copyStore(from: string, to: string): void {
  if (existsSync(to)) return;
  const fresh = `${to}.${crypto.randomUUID()}`;
  try {
    cpSync(from, fresh, { recursive: true, preserveTimestamps: true });
    if (!existsSync(to)) renameSync(fresh, to);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Tells a directory from others that have, or had, its path. */
function stampOf(directory: string): string {
  const stat = lstatSync(directory, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? 'gone' : `${stat.dev}:${stat.ino}`;
}

function hashOf(...parts: readonly string[]): string {
  return new Bun.CryptoHasher('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
}
