import type { FileVersion, StepCounts } from '../../../protocol/checkpoint.ts';
import { readLooseObject } from '../object-store/loose-object.ts';
import { adoptObjects } from '../object-store/own-objects.ts';
import { inRoom, privateEnvironment } from '../object-store/private-directory.ts';
import { coversPath, type Repository } from '../object-store/repository.ts';
import { isVersionWithheld, keepWithheldList, readWithheld, type SnapshotContent } from '../object-store/withheld.ts';
import { readGit } from '../process/git-process.ts';
import { isForbiddenByGit, splitRawPaths, toRawPath } from '../process/raw-path.ts';
import type { CheckpointRecord } from './checkpoint-record.ts';
import { isSameState } from './work-file.ts';

/** The change of one path from one snapshot to another. */
export interface Change extends TreeChange {
  /** It stands in a tree, which no git and no snapshot would have put it in. */
  readonly isPlanted?: true;
}

/** All paths in which two snapshots differ. A rename is a path that went and one that came. */
export async function readChanges(
  repository: Repository,
  before: SnapshotContent,
  after: SnapshotContent,
): Promise<readonly Change[]> {
  const inTree = await readTreeChanges(repository, before.tree, after.tree);
  return withWithheld(inTree, compareWithheld(repository, before, after));
}

async function readTreeChanges(repository: Repository, before: string, after: string): Promise<readonly Change[]> {
  if (before === after) return [];
  const changes = compareLooseTrees(repository, before, after) ?? (await askForChanges(repository, before, after));
  return changes.map((change) => (isForbiddenByGit(change.path, false) ? { ...change, isPlanted: true } : change));
}

async function askForChanges(repository: Repository, before: string, after: string): Promise<readonly TreeChange[]> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', before, after];
  const call = { ...repository.place, env: privateEnvironment(repository), args };
  const fields = (await readGit(call, 'compare the snapshots')).toString('latin1').split('\0');
  const changes: TreeChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = (fields[at] ?? '').slice(1).split(' ');
    const path = fields[at + 1] ?? '';
    changes.push({ path, before: toVersion(oldMode, oldBlob), after: toVersion(newMode, newBlob) });
  }
  return changes;
}

/** The withheld files in which two snapshots differ, and for each side whether nobody knows what was withheld from it. */
interface WithheldChanges {
  readonly changes: ReadonlyMap<string, Change>;
  readonly isUnknown: boolean;
}

function compareWithheld(repository: Repository, before: SnapshotContent, after: SnapshotContent): WithheldChanges {
  const changes = new Map<string, Change>();
  if (before.withheld === after.withheld) return { changes, isUnknown: false };
  const [old, present] = [readWithheld(repository, before), readWithheld(repository, after)];
  for (const path of new Set([...(old?.keys() ?? []), ...(present?.keys() ?? [])])) {
    const change = { path, before: old?.get(path) ?? null, after: present?.get(path) ?? null };
    if (!isSameState(change.before, change.after)) changes.set(path, change);
  }
  return { changes, isUnknown: old === null || present === null };
}

/**
 * Both together: a path may be in the tree of one snapshot, and withheld from the other. If a list is not known, only a path that went or
 * came in a tree is sure to be on the other side: all else may have been there unseen.
 */
function withWithheld(inTree: readonly Change[], { changes, isUnknown }: WithheldChanges): readonly Change[] {
  if (changes.size === 0) return inTree;
  const joined = inTree.map((change) => {
    const other = changes.get(change.path);
    return { ...change, before: change.before ?? other?.before ?? null, after: change.after ?? other?.after ?? null };
  });
  const seen = new Set(inTree.map(({ path }) => path));
  const rest = isUnknown ? [] : [...changes.values()].filter(({ path }) => !seen.has(path));
  return [...joined.filter(({ before, after }) => !isSameState(before, after)), ...rest];
}

/** Raw paths that any of the finalized steps changed. */
export async function listChanged(
  repository: Repository,
  records: readonly CheckpointRecord[],
): Promise<ReadonlySet<string>> {
  const withheld = records.flatMap(({ before, after }) =>
    after === null ? [] : readWithheldChanges(repository, before, after),
  );
  const pairs = records.flatMap(({ before, after }) => (after === null ? [] : [`${before.tree} ${after.tree}\n`]));
  if (pairs.length === 0) return new Set(withheld.map(({ path }) => path));
  const args = ['diff-tree', '--stdin', '-r', '-z', '--name-only', '--no-renames', '--format='];
  const call = { ...repository.place, env: privateEnvironment(repository), args, input: pairs.join('') };
  const listing = await readGit(call, 'compare the checkpoints');
  // With two trees per line the line itself comes first, ended by a line break.
  const inTrees = splitRawPaths(listing).flatMap((field) => field.replace(PAIR, '') || []);
  return new Set([...inTrees, ...withheld.map(({ path }) => path)]);
}

/** The withheld files that surely differ between two snapshots. */
export function readWithheldChanges(
  repository: Repository,
  before: SnapshotContent,
  after: SnapshotContent,
): readonly Change[] {
  const { changes, isUnknown } = compareWithheld(repository, before, after);
  return isUnknown ? [] : [...changes.values()];
}

const PAIR = /^(?:[0-9a-f]{40,64} [0-9a-f]{40,64}\n)+/;

/** Counts the paths each sealed step changed, with one git process for all; with `only` those alone and what lies below them. */
export async function countChanges(
  repository: Repository,
  records: readonly CheckpointRecord[],
  only: readonly string[] = [],
): Promise<ReadonlyMap<string, StepCounts>> {
  const finalized = records.filter((record) => record.after !== null);
  const counts = new Map(finalized.map((record) => [record.id, { added: 0, changed: 0, removed: 0 }]));
  for (const { id, before, after } of finalized) {
    if (after === null) continue;
    const wanted = readWithheldChanges(repository, before, after).filter(({ path }) => isPathAmong(only, path));
    for (const change of wanted) bump(counts.get(id), kindOf(change));
  }
  const differing = finalized.filter((record) => record.before.tree !== record.after?.tree);
  if (differing.length === 0) return counts;
  const input = differing.map((record) => `${record.before.tree} ${record.after?.tree}\n`).join('');
  const args = ['diff-tree', '--stdin', '-r', '--raw', '--no-renames', ...(only.length === 0 ? [] : ['--', ...only])];
  const call = { ...repository.place, env: privateEnvironment(repository), args, input };
  const listing = await readGit(call, 'compare the checkpoints');
  let current = -1;
  for (const line of listing.toString('latin1').split('\n')) {
    if (!line.startsWith(':')) current += line === '' ? 0 : 1;
    const count = counts.get(differing[current]?.id ?? '');
    if (!line.startsWith(':') || count === undefined) continue;
    bump(count, toKind(line.split('\t')[0]?.at(-1)));
  }
  return counts;
}

function bump(counts: { added: number; changed: number; removed: number } | undefined, kind: keyof StepCounts): void {
  if (counts !== undefined) counts[kind] += 1;
}

/** True for a raw path that one of the named ones covers; for all where none is named. */
export function isPathAmong(only: readonly string[], path: string): boolean {
  return only.length === 0 || only.some((wanted) => coversPath(toRawPath(wanted), path));
}

function kindOf({ before, after }: Change): keyof StepCounts {
  if (before === null) return 'added';
  return after === null ? 'removed' : 'changed';
}

function toKind(status: string | undefined): keyof StepCounts {
  if (status === 'A') return 'added';
  return status === 'D' ? 'removed' : 'changed';
}

function toVersion(mode: string, blob: string): FileVersion | null {
  return mode === '000000' ? null : { mode, blob };
}

/** A file in which two trees differ. */
interface TreeChange {
  /** Raw path. */
  readonly path: string;
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
}

/** One process of git is quicker than reading more trees than this. */
const MOST_READS = 64;

const TREE_MODE = '40000';
const FILE_MODES: ReadonlySet<string> = new Set(['100644', '100755', '120000']);

/** The files in which two trees differ, in the order of git; null if only git can tell: a tree is packed, strange or one of too many. */
export function compareLooseTrees(repository: Repository, before: string, after: string): readonly TreeChange[] | null {
  const changes: TreeChange[] = [];
  let reads = 0;
  const read = (name: string | undefined): ReadonlyMap<string, FileVersion> | null => {
    if (name === undefined) return new Map();
    reads += 1;
    const body = reads > MOST_READS ? null : readLooseObject(repository, 'tree', name);
    return body === null ? null : parseTree(body, name.length / 2);
  };
  const compare = (folder: string, one: string | undefined, other: string | undefined): boolean => {
    const [old, present] = [read(one), read(other)];
    if (old === null || present === null) return false;
    return [...new Set([...old.keys(), ...present.keys()])].sort().every((name) => {
      const [was, is] = [old.get(name) ?? null, present.get(name) ?? null];
      if (was?.mode === is?.mode && was?.blob === is?.blob) return true;
      if (name.endsWith('/')) return compare(`${folder}${name}`, was?.blob, is?.blob);
      changes.push({ path: `${folder}${name}`, before: was, after: is });
      return true;
    });
  };
  return compare('', before, after) ? changes : null;
}

/** The entries of a tree by name, a folder's with a `/` at the end; null for one that no snapshot has. */
function parseTree(body: Buffer, hashBytes: number): ReadonlyMap<string, FileVersion> | null {
  const entries = new Map<string, FileVersion>();
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(0, at);
    const [, mode = '', name = ''] = /^(\d+) ([^/]+)$/s.exec(body.toString('latin1', at, end)) ?? [];
    const blob = body.toString('hex', end + 1, end + 1 + hashBytes);
    const isTree = mode === TREE_MODE;
    if (end === -1 || blob.length !== 2 * hashBytes || !(isTree || FILE_MODES.has(mode))) return null;
    entries.set(isTree ? `${name}/` : name, { mode, blob });
    at = end + 1 + hashBytes;
  }
  return entries;
}

/** The version that one path of a built tree holds; null for nothing. */
interface TreeEdit {
  /** Raw path. */
  readonly path: string;
  readonly version: FileVersion | null;
}

/** Writes what a snapshot becomes by the edits. The work tree is not looked at. */
export async function buildSnapshot(
  repository: Repository,
  base: SnapshotContent,
  edits: readonly TreeEdit[],
): Promise<SnapshotContent> {
  const inTree = edits.map((edit) => (isEditWithheld(edit) ? { ...edit, version: null } : edit));
  const tree = await buildTree(
    repository,
    base.tree,
    inTree.filter(({ path }) => !isForbiddenByGit(path, false)),
  );
  return { tree, withheld: buildList(repository, base, edits) };
}

function isEditWithheld({ path, version }: TreeEdit): boolean {
  return version !== null && isVersionWithheld(path, version);
}

function buildList(repository: Repository, base: SnapshotContent, edits: readonly TreeEdit[]): string | null {
  const files = new Map(readWithheld(repository, base));
  let isSame = true;
  for (const { path, version } of edits) {
    if (files.delete(path)) isSame = false;
    if (version === null || !isVersionWithheld(path, version)) continue;
    files.set(path, version);
    isSame = false;
  }
  return isSame ? base.withheld : keepWithheldList(repository.withheldFolder, repository.commonDirectory, files);
}

async function buildTree(repository: Repository, tree: string, edits: readonly TreeEdit[]): Promise<string> {
  if (edits.length === 0) return tree;
  return inRoom(repository, 'build', async (index) => {
    const call = { ...repository.place, env: privateEnvironment(repository, index) };
    await readGit({ ...call, args: ['read-tree', tree] }, 'read the checkpoint');
    const input = Buffer.from(
      sortEdits(edits)
        .map((edit) => formatEdit(repository, edit))
        .join(''),
      'latin1',
    );
    await readGit({ ...call, args: ['update-index', '-z', '--index-info'], input }, 'write the checkpoint');
    // A file that the repository lost must not keep the others from coming back.
    const built = await readGit({ ...call, args: ['write-tree', '--missing-ok'] }, 'write the checkpoint');
    adoptObjects(repository);
    return built.toString('latin1').trim();
  });
}

/** Puts removals first, so that a file can stand where a directory was. */
function sortEdits(edits: readonly TreeEdit[]): readonly TreeEdit[] {
  return [...edits.filter(({ version }) => version === null), ...edits.filter(({ version }) => version !== null)];
}

function formatEdit({ objectFormat }: Repository, { path, version }: TreeEdit): string {
  const none = '0'.repeat(objectFormat === 'sha256' ? 64 : 40);
  return `${version?.mode ?? '0'} ${version?.blob ?? none}\t${path}\0`;
}
