import {
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statfsSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { RetentionLimits, SnapshotLimits } from '../../../core/session/settings.ts';
import { attempt, succeeds } from '../../../core/text/attempt.ts';
import { formatByteSize } from '../../../core/text/truncate.ts';
import type { FileVersion } from '../../../protocol/checkpoint.ts';
import { errorCode } from '../../../protocol/error.ts';
import { copyPairs } from '../../dry-run/apply.ts';
import { readRegular } from '../../system/file-status.ts';
import { writeAtomically } from '../../system/own-file.ts';
import { nextTurn } from '../../system/patience.ts';
import { openRepository, type Repository } from '../object-store/repository.ts';
import type { SnapshotContent } from '../object-store/withheld.ts';
import { readGit, runGit } from '../process/git-process.ts';
import { gitStopped } from '../process/messages.ts';
import { formatRawPath, joinRawPaths, lstatOrNull, splitRawPaths, toFullPath, toRawPath } from '../process/raw-path.ts';
import { readChanges } from '../snapshot/changes.ts';
import { createCheckpoint, finalizeCheckpoint } from '../snapshot/checkpoint.ts';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import { diffSnapshots } from '../snapshot/timeline.ts';
import { isBeyondLink, isSameState, keepContent, readBlobs, readFileState, refusePath } from '../snapshot/work-file.ts';
import { putAllBack } from './apply.ts';
import { CHANGED_HERE, formatLarge, NO_FILE } from './messages.ts';

/*
 * The working copy of an autonomous run is a repository of its own, not a work tree that the user's repository knows: nothing has to be
 * cleaned up there, whatever happens to the run. Objects are shared by hard links, since git never writes into one. All other files are
 * real copies, by reflink where the file system can: a tool that writes in place must not reach the user's file.
 */

/** Files of the git directory of one work tree, and of the one that all work trees share. */
const OF_TREE = /^(?:HEAD|index|sharedindex\..*|config\.worktree)$/;
const SHARED = [
  'packed-refs',
  'shallow',
  'config',
  'info',
  'reftable',
  'modules',
  'refs/heads',
  'refs/tags',
  'refs/remotes',
];
/** Settings that lead out of the copy. */
const LEADING_OUT = ['core.worktree', 'core.hooksPath', 'core.fsmonitor'];
/** Holds the first snapshot of a copy. */
const BASE_REF = 'refs/aish-run/base';
/** So many files are copied between two looks at other work. */
const FILES_AT_ONCE = 64;
/** More bytes of ignored files are not copied. */
const MOST_IGNORED = 4 * 1024 * 1024 * 1024;

/**
 * Copies a project as it is now into a new folder: its repository, and all files that git does not ignore. Nothing is written in the
 * project. The answer is the snapshot of the copy, which later tells the changes of the run.
 */
export async function makeWorkingCopy(project: string, tree: string, signal?: AbortSignal): Promise<SnapshotContent> {
  const repository = await openRepository(project, { signal });
  mkdirSync(tree, { recursive: true, mode: 0o700 });
  await copyRepository(repository, project, tree);
  await copyFiles(project, tree, await listOwn(repository, project), signal);
  const copy = await openRepository(tree, { signal });
  const { tree: name, withheld } = await takeSnapshot(copy);
  const author = ['-c', 'user.name=aish', '-c', 'user.email=aish@localhost'];
  const args = [...author, 'commit-tree', '-m', 'base', name];
  const commit = (await readGit({ ...copy.place, args }, 'keep the first snapshot')).toString('latin1').trim();
  await readGit({ ...copy.place, args: ['update-ref', BASE_REF, commit] }, 'keep the first snapshot');
  return { tree: name, withheld };
}

async function copyRepository(repository: Repository, project: string, tree: string): Promise<void> {
  const { gitDirectory, commonDirectory, objectFormat, root, place } = repository;
  const git = join(tree, '.git');
  const init = ['init', '-q', '--template=', `--object-format=${objectFormat}`, '.'];
  await readGit({ cwd: tree, args: init, signal: place.signal }, 'make the working copy');
  // Without a repository at its top, the project is copied as files alone.
  if (place.env !== undefined || root !== realpathSync(project)) return;
  for (const name of readdirSync(gitDirectory)) if (OF_TREE.test(name)) copyOf(gitDirectory, git, name);
  for (const name of SHARED) copyOf(commonDirectory, git, name);
  dropForeignRefs(join(git, 'packed-refs'));
  for (const name of LEADING_OUT) await runGit({ cwd: tree, args: ['config', '--local', '--unset-all', name] });
  await shareObjects(join(commonDirectory, 'objects'), join(git, 'objects'));
}

/** Also behind a link, as `git-new-workdir` makes them: a link in the copy would lead to the repository of the user. */
function copyOf(from: string, to: string, name: string): void {
  if (!existsSync(join(from, name))) return;
  cpSync(realpathSync(join(from, name)), join(to, name), { recursive: true, force: true, preserveTimestamps: true });
}

/** The checkpoints and the stash stay with the project. */
function dropForeignRefs(path: string): void {
  const packed = attempt(() => readRegular(path).toString('latin1'), null);
  if (packed === null) return;
  writeAtomically(path, Buffer.from(packed.replace(/^\S+ refs\/(?:aish\/|stash$).*\n(?:\^.*\n)*/gm, ''), 'latin1'));
}

async function shareObjects(from: string, to: string): Promise<void> {
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: true })) {
    const source = join(entry.parentPath, entry.name);
    const target = join(to, relative(from, source));
    if (entry.isDirectory()) mkdirSync(target, { recursive: true });
    else if (entry.isFile()) shareObject(source, target);
  }
  await nextTurn();
  const alternates = join(to, 'info', 'alternates');
  const others = attempt(() => readRegular(alternates).toString().split('\n').filter(Boolean), []);
  if (others.length > 0) writeAtomically(alternates, others.map((path) => `${resolve(from, path)}\n`).join(''));
}

/** On another file system an object is copied. One that git has packed meanwhile is in the pack. */
function shareObject(source: string, target: string): void {
  try {
    mkdirSync(dirname(target), { recursive: true });
    if (!succeeds(() => linkSync(source, target))) copyFileSync(source, target, constants.COPYFILE_FICLONE);
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
  }
}

/** The raw paths that git does not ignore, relative to the project. */
async function listOwn({ place }: Repository, project: string): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = splitRawPaths(await readGit({ ...place, cwd: project, args }, 'list the files of the project'));
  return keepInside(project, [...new Set(listed)]);
}

/** Paths that are not behind a link of the project: an index may name others, which lead out of it and out of the copy. */
function keepInside(project: string, paths: readonly string[]): readonly string[] {
  const isInside = new Map<string, boolean>();
  return paths.filter((path) => {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    const known = isInside.get(folder) ?? !isBeyondLink(project, path);
    isInside.set(folder, known);
    return known;
  });
}

async function copyFiles(from: string, to: string, paths: readonly string[], signal?: AbortSignal): Promise<void> {
  const made = new Set<string>();
  for (const [at, path] of paths.entries()) {
    if (at % FILES_AT_ONCE === 0) await nextTurn();
    if (signal?.aborted) throw gitStopped();
    const source = toFullPath(from, path);
    const stat = lstatOrNull(source);
    if (stat === null || !(stat.isFile() || stat.isSymbolicLink()) || isBeyondLink(to, path)) continue;
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    if (folder !== '' && !made.has(folder)) mkdirSync(toFullPath(to, folder), { recursive: true });
    made.add(folder);
    copyFile(source, toFullPath(to, path), stat);
  }
}

/** A file that goes away meanwhile, or that this user may not read, is left out. */
function copyFile(source: Buffer, target: Buffer, stat: Stats): void {
  try {
    if (stat.isSymbolicLink()) symlinkSync(readlinkSync(source, { encoding: 'buffer' }), target);
    else {
      copyFileSync(source, target, constants.COPYFILE_FICLONE);
      utimesSync(target, stat.atimeMs / 1000, stat.mtimeMs / 1000);
    }
  } catch (thrown) {
    if (!['ENOENT', 'EACCES', 'EPERM'].includes(errorCode(thrown))) throw thrown;
  }
}

/**
 * Copies what git ignores into a working copy, and the repositories inside the project: checks need dependencies such as `node_modules`.
 * The answer names what was too large or failed.
 */
export async function copyIgnored(project: string, tree: string, signal?: AbortSignal): Promise<readonly string[]> {
  const repository = await openRepository(project, { signal });
  const holdsCopy = (path: string): boolean => `${tree}/`.startsWith(`${join(project, formatRawPath(path))}/`);
  const sized = (await listIgnored(repository, project))
    .filter((path) => !holdsCopy(path))
    .map((path) => ({ path, bytes: sizeOf(toFullPath(project, path)) }))
    .sort((one, other) => one.bytes - other.bytes);
  const { bavail, bsize } = statfsSync(tree);
  let room = Math.min(MOST_IGNORED, (bavail * bsize) / 2);
  const left: string[] = [];
  const words: Buffer[] = [];
  for (const { path, bytes } of sized) {
    room -= bytes;
    if (room < 0) left.push(formatLarge(formatRawPath(path), formatByteSize(bytes)));
    else {
      mkdirSync(toFullPath(tree, dirname(path)), { recursive: true });
      words.push(Buffer.from(`${project}/`), joinRawPaths([path]), Buffer.from(`${tree}/`), joinRawPaths([path]));
    }
  }
  const { exit, wrong } = await copyPairs(Buffer.concat(words), signal);
  return exit === 0 ? left : [...left, wrong.trim().split('\n')[0] ?? ''];
}

/** Raw paths without a slash at the end; a folder stands for all that is in it. */
async function listIgnored(repository: Repository, project: string): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  const listed = await readGit({ ...repository.place, cwd: project, args }, 'list the ignored files');
  const isFolder = (path: string): boolean => lstatOrNull(toFullPath(project, path))?.isDirectory() === true;
  const repositories = (await listOwn(repository, project)).filter(isFolder);
  const paths = [...splitRawPaths(listed), ...repositories].map((path) => path.replace(/\/$/, ''));
  return keepInside(project, [...new Set(paths)]);
}

function sizeOf(path: Buffer): number {
  const stat = attempt(() => lstatOrNull(path), null);
  if (stat?.isDirectory() !== true) return stat?.size ?? 0;
  const names = attempt(() => readdirSync(path, { encoding: 'buffer' }), []);
  return names.reduce((sum, name) => sum + sizeOf(Buffer.concat([path, Buffer.from('/'), name])), 0);
}

/** A working copy, with the snapshot of its start. */
export interface CopyPlace {
  /** The folder that was copied. */
  readonly project: string;
  readonly tree: string;
  readonly base: SnapshotContent;
}

/** A path that differs from the start of the copy, and the effect of applying it. */
interface CopyChange {
  /** Relative to the project. */
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** `same`: the project has the new content already. `conflict`: it has a content of its own. */
  readonly state: 'free' | 'same' | 'conflict';
  /** The reason of a conflict; empty otherwise. */
  readonly why: string;
}

/** The result for the changes of a working copy. */
export interface AppliedCopy {
  readonly applied: readonly string[];
  readonly conflicts: readonly { readonly path: string; readonly why: string }[];
  /** The checkpoint that an undo needs; null if nothing was applied. */
  readonly checkpoint: string | null;
}

interface Planned extends CopyChange {
  /** Raw, relative to the repository of the project. */
  readonly key: string;
  readonly now: FileVersion | null;
  readonly target: FileVersion | null;
}

/** The changes of a working copy, by path, against the project as it is now. */
export async function planCopyChanges(place: CopyPlace): Promise<readonly CopyChange[]> {
  return (await plan(place, await openRepository(place.tree), await openRepository(place.project))).map(toShown);
}

function toShown({ path, kind, state, why }: Planned): CopyChange {
  return { path, kind, state, why };
}

/** Unified diff of everything that changed in a working copy. */
export async function diffWorkingCopy({ tree, base }: Pick<CopyPlace, 'tree' | 'base'>): Promise<string> {
  const copy = await openRepository(tree);
  return diffSnapshots(copy, base, await takeSnapshot(copy));
}

async function plan({ base, project }: CopyPlace, copy: Repository, target: Repository): Promise<readonly Planned[]> {
  const inside = relative(target.root, realpathSync(project));
  const above = inside === '' ? '' : `${toRawPath(inside)}/`;
  const changes = await readChanges(copy, base, await takeSnapshot(copy));
  return changes
    .filter(({ isPlanted }) => isPlanted !== true)
    .map(({ path, before, after }): Planned => {
      const key = `${above}${path}`;
      const found = refusePath(target.root, key);
      const now = found === null ? readFileState(target, key) : null;
      const kind = before === null ? 'added' : after === null ? 'removed' : 'changed';
      const shown = { key, path: formatRawPath(path), kind, target: after, now: now === 'other' ? null : now } as const;
      if (found !== null) return { ...shown, state: 'conflict', why: found };
      if (now === 'other') return { ...shown, state: 'conflict', why: NO_FILE };
      if (isSameState(now, after)) return { ...shown, state: 'same', why: '' };
      return isSameState(now, before)
        ? { ...shown, state: 'free', why: '' }
        : { ...shown, state: 'conflict', why: CHANGED_HERE };
    });
}

interface ApplyCopyOptions {
  /** A directory that stays even if it becomes empty. */
  readonly cwd: string;
  readonly label: string;
  readonly sessionId: string;
  readonly limits: RetentionLimits;
  readonly most?: SnapshotLimits | undefined;
}

/**
 * Applies the changes of a working copy to the project, with a checkpoint. A path that the user changed meanwhile stays as it is, and
 * so does a path that changes at the last moment.
 */
export async function applyWorkingCopy(place: CopyPlace, options: ApplyCopyOptions): Promise<AppliedCopy> {
  const { project } = place;
  const [copy, target] = [await openRepository(place.tree), await openRepository(project)];
  const planned = await plan(place, copy, target);
  const conflicts = planned.filter(({ state }) => state === 'conflict').map(({ path, why }) => ({ path, why }));
  const free = planned.filter(({ state }) => state === 'free');
  if (free.length === 0) return { applied: [], conflicts, checkpoint: null };
  const { cwd, label, sessionId, limits, most } = options;
  const change = { label, toolName: 'norris', cause: 'user', mode: 'ref' } as const;
  const checkpoint = await createCheckpoint({ ...change, cwd: project, sessionId, at: Date.now(), limits, most });
  await bringContents(copy, target, free);
  const unknown = { was: null, left: null, folder: () => null };
  const done = await putAllBack(
    target,
    free.map(({ key, now, target: version }) => ({ path: key, now, target: version })),
    { keep: cwd, known: () => unknown },
  );
  await finalizeCheckpoint(checkpoint);
  const put = new Set(done.operations.map(({ path }) => path));
  return {
    applied: free.filter(({ key }) => put.has(key)).map(({ path }) => path),
    conflicts: [...conflicts, ...done.refused],
    checkpoint: put.size === 0 ? null : checkpoint.id,
  };
}

/** Keeps the new contents where the project keeps those of its snapshots: the snapshot afterwards needs them anyway. */
async function bringContents(copy: Repository, target: Repository, planned: readonly Planned[]): Promise<void> {
  const wanted = planned.flatMap(({ key, target: version }) => (version === null ? [] : [{ key, version }]));
  for (const { key, version } of wanted) {
    const [content] = await readBlobs(copy, [version.blob]);
    if (content) await keepContent(target, key, { mode: version.mode, content });
  }
}
