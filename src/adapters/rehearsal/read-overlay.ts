import { type EntryState, isSameEntry, type PathChange, type Unchanged } from '../../core/rehearsal/change-set.ts';
import { type Attributes, below, isSameContent, type Tree } from './tree.ts';

/** What a rehearsal has changed. */
export interface ChangeSet {
  readonly changes: readonly PathChange[];
  /** Folders of the view that were written in, with their time of change; set when all is applied. */
  readonly folders: ReadonlyMap<string, bigint>;
}

/** What an overlay was laid over, and where it keeps what was written. */
export interface OverlayTrees {
  readonly project: Tree;
  readonly upper: Tree;
  readonly attributes: Attributes;
  /** When it was laid. */
  readonly laidNs: bigint;
}

interface Layers {
  readonly after: EntryState;
  readonly before: EntryState | null;
  readonly isCovered: boolean;
}

const OPAQUE = 'user.overlay.opaque';
/** Why a file that has other names is not applied. */
export const OTHER_NAMES = 'it has another name (a hard link) that the rehearsal did not see';
const CHANGED_MEANWHILE = 'it was changed in the project while the rehearsal ran';

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
    return { changes, folders: this.#folders };
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
    const conflict = isLate ? CHANGED_MEANWHILE : isShared ? OTHER_NAMES : null;
    this.#changes.push({ path, before, after, ...(conflict === null ? {} : { conflict }) });
  }
}
