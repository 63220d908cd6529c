import {
  type EntryState,
  isSameEntry,
  isSameRights,
  type PathChange,
  type Unchanged,
} from '../../core/impact/change-set.ts';
import { type Attributes, below, isSameContent, type Tree } from './tree.ts';

/** The changes of a dry run. */
export interface ChangeSet {
  readonly changes: readonly PathChange[];
  /** Folders of the view that were written in, with their time of change; set when all is applied. */
  readonly folders: ReadonlyMap<string, bigint>;
  /** Files that were written to, or replaced, and hold what they held. */
  readonly rewritten: readonly string[];
}

/** The tree under an overlay, and the tree of its writes. */
interface OverlayTrees {
  readonly project: Tree;
  readonly upper: Tree;
  readonly attributes: Attributes;
  readonly laidNs: bigint;
}

interface Layers {
  readonly after: EntryState;
  readonly before: EntryState | null;
  readonly isCovered: boolean;
}

const OPAQUE = 'user.overlay.opaque';

/**
 * Reads what was written to an overlay out of its upper layer (https://docs.kernel.org/filesystems/overlayfs.html): a character device of
 * number 0 stands for what was deleted, and an opaque folder hides all that is below it. Nothing else of the project is looked at.
 */
export function readOverlay(trees: OverlayTrees): ChangeSet {
  return new OverlayReader(trees).read();
}

class OverlayReader {
  readonly #trees: OverlayTrees;
  readonly #changes: PathChange[] = [];
  readonly #folders = new Map<string, bigint>();
  /** Files that are in the upper layer and hold what they held. */
  readonly #same = new Map<bigint, Unchanged>();

  constructor(trees: OverlayTrees) {
    this.#trees = trees;
  }

  read(): ChangeSet {
    const { project, upper } = this.#trees;
    const [before, after] = [project.state(''), upper.state('')];
    if (before !== null && after !== null) this.#walk('', { after, before, isCovered: false });
    const changes = this.#changes.map((change) => {
      const linkTo = change.after?.kind === 'file' ? this.#same.get(change.after.inode) : undefined;
      return linkTo === undefined ? change : { ...change, linkTo };
    });
    return { changes, folders: this.#folders, rewritten: [...this.#same.values()].map(({ path }) => path) };
  }

  /** A folder that is in the upper layer; `before` is the one of the project, if there is one, covered where one above it is opaque. */
  #walk(folder: string, { after, before, isCovered }: Layers): void {
    const { project, upper, attributes } = this.#trees;
    const changed = this.#changes.length;
    const names = upper.names(folder);
    const isOpaque =
      isCovered || (before !== null && attributes.calls?.attributes(upper.at(folder)).get(OPAQUE) === 'y');
    for (const name of names) this.#entry(below(folder, name), { hasBelow: before !== null, isCovered: isOpaque });
    if (isOpaque && before !== null) {
      const written = new Set(names);
      for (const name of project.names(folder)) if (!written.has(name)) this.#gone(below(folder, name));
    }
    if (before === null || after.modifiedNs !== before.modifiedNs) this.#folders.set(folder, after.modifiedNs);
    if (before === null) return;
    const isTouched = after.modifiedNs !== before.modifiedNs && this.#changes.length === changed;
    const isOther = !isSameEntry({ ...after, modifiedNs: 0n }, { ...before, modifiedNs: 0n });
    if (isTouched || isOther) this.#add(folder, before, after);
  }

  #entry(path: string, { hasBelow, isCovered }: { readonly hasBelow: boolean; readonly isCovered: boolean }): void {
    const { project, upper } = this.#trees;
    const after = upper.state(path);
    const before = hasBelow ? project.state(path) : null;
    if (after === null) return;
    if (after.kind === 'other' && after.special === 0n) {
      this.#gone(path);
      return;
    }
    if (after.kind === 'folder') {
      if (before !== null && before.kind !== 'folder') this.#add(path, before, after);
      else if (before === null) this.#add(path, null, after);
      this.#walk(path, { after, before: before?.kind === 'folder' ? before : null, isCovered });
      return;
    }
    if (before?.kind === 'folder') this.#goneIn(path);
    if (before !== null && this.#isSame(path, before, after)) this.#same.set(after.inode, { path, before });
    else this.#add(path, before, after);
  }

  #isSame(path: string, before: EntryState, after: EntryState): boolean {
    const { project, upper, attributes } = this.#trees;
    if (!isSameEntry(before, after)) return false;
    if (!isSameContent({ tree: project, path, state: before }, { tree: upper, path, state: after })) return false;
    return attributes.read(project.at(path)) === attributes.read(upper.at(path));
  }

  /** A path that is there no more, with all in it. */
  #gone(path: string): void {
    const before = this.#trees.project.state(path);
    if (before === null) return;
    this.#add(path, before, null);
    if (before.kind === 'folder') this.#goneIn(path);
  }

  #goneIn(folder: string): void {
    for (const name of this.#trees.project.names(folder)) this.#gone(below(folder, name));
  }

  #add(path: string, before: EntryState | null, after: EntryState | null): void {
    const isLate = before !== null && before.kind !== 'folder' && before.changedNs > this.#trees.laidNs;
    // Written to, it would change under all of its names; replaced, under this one. The upper layer does not tell which it was.
    const isShared = before?.kind === 'file' && after?.kind === 'file' && before.names > 1;
    const conflict = isLate ? 'changed-meanwhile' : isShared ? 'hard-linked' : null;
    this.#changes.push({ path, before, after, ...(conflict === null ? {} : { conflict }) });
  }
}

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

interface CopyTrees {
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
  const rewritten: string[] = [];
  for (const path of [...new Set([...begun.keys(), ...now.keys()])].sort()) {
    const [then, after] = [begun.get(path) ?? null, now.get(path) ?? null];
    const before = then === null ? null : (source.get(path) ?? null);
    if (after?.kind === 'folder' && then?.modifiedNs !== after.modifiedNs) folders.set(path, after.modifiedNs);
    if (isSame(trees, path, then, after)) {
      if (after?.kind === 'file') same.set(after.inode, { path, before });
      if (after?.kind === 'file' && then?.changedNs !== after.changedNs) rewritten.push(path);
    } else changes.push({ path, before, after });
  }
  const whole = withTouched(changes, folders, { source, now, begun });
  return { changes: whole.map((change) => withNames(change, same, { all: whole, begun })), folders, rewritten };
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
  // A replacement has nothing to do with the other names of the old file.
  const isInPlace = after?.kind === 'file' && begun.get(path)?.inode === after.inode;
  if (before?.kind !== 'file' || before.names === 1 || !isInPlace) return change;
  const together = all.filter((one) => one.before?.inode === before.inode && one.after?.inode === after.inode);
  return together.length === before.names ? change : { ...change, conflict: 'hard-linked' };
}
