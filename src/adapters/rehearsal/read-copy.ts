import {
  type EntryState,
  isSameEntry,
  isSameRights,
  type PathChange,
  type Unchanged,
} from '../../core/rehearsal/change-set.ts';
import { type ChangeSet, OTHER_NAMES } from './read-overlay.ts';
import { type Attributes, below, isSameContent, type Tree } from './tree.ts';

/** All that is in a folder, itself included as the empty path. */
export type Listing = ReadonlyMap<string, EntryState>;

/** Lists a folder and all in it; null where there are more entries than `most`. */
export function listTree(tree: Tree, most: number): Listing | null {
  const found = new Map<string, EntryState>();
  const waiting = [''];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const state = tree.state(path);
    if (state === null) continue;
    found.set(path, state);
    if (found.size > most) return null;
    if (state.kind === 'folder') for (const name of tree.names(path)) waiting.push(below(path, name));
  }
  return found;
}

/** What a copied rehearsal compares. */
export interface CopyTrees {
  readonly project: Tree;
  readonly copy: Tree;
  readonly attributes: Attributes;
  /** The project before it was copied. */
  readonly source: Listing;
  /** The copy before the command. */
  readonly begun: Listing;
}

/** Finds what a command changed in a copy: nothing is written to a file without its time of change telling. */
export function readCopy(trees: CopyTrees): ChangeSet {
  const { copy, source, begun } = trees;
  const now = listTree(copy, Number.POSITIVE_INFINITY) ?? new Map<string, EntryState>();
  const folders = new Map<string, bigint>();
  const changes: PathChange[] = [];
  const same = new Map<bigint, Unchanged>();
  for (const path of [...new Set([...begun.keys(), ...now.keys()])].sort()) {
    const [then, after] = [begun.get(path) ?? null, now.get(path) ?? null];
    const before = then === null ? null : (source.get(path) ?? null);
    if (after?.kind === 'folder' && then?.modifiedNs !== after.modifiedNs) folders.set(path, after.modifiedNs);
    if (isSame(trees, path, then, after)) {
      if (after?.kind === 'file') same.set(after.inode, { path, before });
    } else changes.push({ path, before, after });
  }
  const whole = withTouched(changes, folders, { source, now, begun });
  return { changes: whole.map((change) => withNames(change, same, { all: whole, begun })), folders };
}

function isSame(trees: CopyTrees, path: string, then: EntryState | null, after: EntryState | null): boolean {
  if (then === null || after === null || then.kind !== after.kind) return false;
  if (then.kind === 'folder') return isSameRights(then, after);
  if (then.inode === after.inode && then.changedNs === after.changedNs) return true;
  const { project, copy, attributes, source } = trees;
  const before = source.get(path);
  if (before === undefined || !isSameEntry(then, after)) return false;
  // A rename of it and back, or another name for it, changes nothing that counts; what it holds is in the project still.
  if (!isSameContent({ tree: project, path, state: before }, { tree: copy, path, state: after })) return false;
  return attributes.read(project.at(path)) === attributes.read(copy.at(path));
}

/** Folders whose time was set though nothing in them changed. */
function withTouched(
  changes: readonly PathChange[],
  folders: ReadonlyMap<string, bigint>,
  { source, now, begun }: Record<'source' | 'now' | 'begun', Listing>,
): readonly PathChange[] {
  const known = new Set(changes.map(({ path }) => path));
  const busy = new Set<string>();
  for (const { path } of changes) {
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) busy.add(path.slice(0, cut));
    busy.add('');
  }
  const touched = [...folders.keys()].filter((path) => begun.has(path) && !busy.has(path) && !known.has(path));
  const more = touched.map((path) => ({ path, before: source.get(path) ?? null, after: now.get(path) ?? null }));
  return [...changes, ...more];
}

/** Its other names: an unchanged one, or those it changed with; one that is not among them keeps it from being applied. */
function withNames(
  change: PathChange,
  same: ReadonlyMap<bigint, Unchanged>,
  { all, begun }: { readonly all: readonly PathChange[]; readonly begun: Listing },
): PathChange {
  const { before, after, path } = change;
  const linkTo = after?.kind === 'file' && after.names > 1 ? same.get(after.inode) : undefined;
  if (linkTo !== undefined) return { ...change, linkTo };
  // What was put in its place has nothing to do with its other names.
  const isInPlace = after?.kind === 'file' && begun.get(path)?.inode === after.inode;
  if (before?.kind !== 'file' || before.names === 1 || !isInPlace) return change;
  const together = all.filter((one) => one.before?.inode === before.inode && one.after?.inode === after.inode);
  return together.length === before.names ? change : { ...change, conflict: OTHER_NAMES };
}
