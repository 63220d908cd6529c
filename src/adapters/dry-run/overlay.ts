import {
  chmodSync,
  closeSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { PathChange } from '../../core/impact/change-set.ts';
import type { OverlayMode } from '../../protocol/change-report.ts';
import { AishError } from '../../protocol/error.ts';
import { mountsBelow, parseMounts } from '../impact/tree.ts';
import type { SandboxView } from '../sandbox/sandbox.ts';
import { removeFolder } from '../system/own-file.ts';
import { systemCalls } from '../system/system-calls.ts';
import { applyChanges, type Conflicts, removeStage, runCopying } from './apply.ts';
import * as messages from './messages.ts';
import { type ChangeSet, type Listing, listTree, readCopy, readOverlay } from './read-changes.ts';
import { type Attributes, openAttributes, Tree } from './tree.ts';

/** Larger projects are not copied: it would take longer than anybody waits. */
const MOST_ENTRIES = 20_000;
const MOST_BYTES = 512 * 1024 * 1024;

const LOCK = 'lock';
const MARK = 'mark';

/**
 * A project as the command of a dry run sees it, in a folder of aish. Nothing that happens in it reaches the project before it is applied.
 */
export class Overlay {
  readonly way: OverlayMode;
  /** When it was laid, in milliseconds since the epoch. */
  readonly begunAt: number;
  readonly #folder: string;
  readonly #lock: number;
  readonly #project: Tree;
  /** Which folder the project was when the view was laid. */
  readonly #top: string | null;
  readonly #attributes: Attributes = openAttributes();
  readonly #listings: { readonly source: Listing; readonly begun: Listing } | null;
  #found: ChangeSet | null = null;

  private constructor(
    way: OverlayMode,
    place: ViewContext,
    listings: { readonly source: Listing; readonly begun: Listing } | null,
  ) {
    this.way = way;
    this.begunAt = place.begunAt;
    this.#folder = place.folder;
    this.#lock = place.lock;
    this.#project = place.project;
    this.#top = place.top;
    this.#listings = listings;
  }

  /** Lays a view over a project. Throws `AishError` where that way is not open here, or the signal ends it; then nothing is left. */
  static async lay(way: OverlayMode, project: string, among: string, signal?: AbortSignal): Promise<Overlay> {
    const place = { ...openFolder(among), project: new Tree(project), top: topOf(project) };
    try {
      if (way === 'overlay') return new Overlay(way, layOverlay(place), null);
      const listings = await layCopy(place, signal);
      return new Overlay(way, place, listings);
    } catch (thrown) {
      await removeFolder(place.folder);
      closeSync(place.lock);
      throw thrown instanceof AishError ? thrown : messages.cannotOverlay(thrown);
    }
  }

  /** The view that the sandbox mounts in the project's place. */
  get forSandbox(): SandboxView {
    return { type: this.way, folder: this.#folder };
  }

  get written(): Tree {
    return new Tree(join(this.#folder, 'upper'), { ours: true });
  }

  get project(): Tree {
    return this.#project;
  }

  /** The changes of the command; read once, after its end. */
  changes(): readonly PathChange[] {
    this.#found ??= this.#read();
    return this.#found.changes;
  }

  /** All paths that the command wrote to, with those that hold what they held. */
  touched(): readonly string[] {
    return [...this.changes().map(({ path }) => path), ...(this.#found?.rewritten ?? [])];
  }

  /** Whether the command wrote to a file with several hard links; an overlay shows the other names unchanged. */
  hasShared(): boolean {
    return this.changes().some(({ conflict }) => conflict === 'hard-linked');
  }

  /** Applies some changes, by their index in the list, or all of them. The signal stops it as long as nothing has been applied. */
  async apply(members: readonly number[] | null, signal?: AbortSignal): Promise<Conflicts> {
    const { root } = this.#project;
    if (this.#top === null || topOf(root) !== this.#top) throw messages.projectReplaced(root);
    const { changes, folders } = this.#found ?? this.#read();
    const chosen = members === null ? changes : members.flatMap((at) => changes[at] ?? []);
    return applyChanges({
      project: this.#project,
      view: this.written,
      attributes: this.#attributes,
      changes: [...chosen].sort((one, other) => (one.path < other.path ? -1 : 1)),
      folders: members === null ? folders : new Map(),
      signal,
    });
  }

  /** Takes the view away. */
  async close(): Promise<void> {
    await removeFolder(this.#folder);
    closeSync(this.#lock);
  }

  #read(): ChangeSet {
    const project = this.#project;
    const attributes = this.#attributes;
    if (this.#listings !== null) return readCopy({ project, copy: this.written, attributes, ...this.#listings });
    const laidNs = new Tree(this.#folder).state(MARK)?.changedNs ?? 0n;
    return readOverlay({ project, upper: this.written, attributes, laidNs });
  }
}

/** Removes views whose process is gone; those that are in use are locked. */
export async function sweepViews(among: string): Promise<void> {
  if (!existsSync(among)) return;
  for (const name of readdirSync(among)) {
    const folder = join(among, name);
    const lock = lockIn(folder);
    if (lock === null) continue;
    removeStage(folder);
    await removeFolder(folder);
    closeSync(lock);
  }
}

interface ViewContext {
  readonly folder: string;
  readonly lock: number;
  readonly begunAt: number;
  readonly project: Tree;
  readonly top: string | null;
}

/** Identifies a folder, so that another one in its place is noticed; null if there is none. */
function topOf(project: string): string | null {
  const stat = statSync(project, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
}

function openFolder(among: string): Omit<ViewContext, 'project' | 'top'> {
  const begunAt = Date.now();
  mkdirSync(among, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(among, 'view-'));
  const lock = lockIn(folder);
  if (lock === null) throw messages.cannotLock(folder);
  return { folder, lock, begunAt };
}

function lockIn(folder: string): number | null {
  try {
    const file = openSync(join(folder, LOCK), 'w', 0o600);
    if (systemCalls()?.lock(file) === true) return file;
    closeSync(file);
  } catch {
    // Somebody has removed it, or is about to.
  }
  return null;
}

/** Paths are given to `mount` as links with plain names, so that none needs to be escaped. */
function layOverlay(place: ViewContext): ViewContext {
  const { folder, project } = place;
  refuseOverlap(project.root, folder);
  refuseMounts(project.root);
  symlinkSync(project.root, join(folder, 'lower'));
  const state = project.state('');
  for (const name of ['upper', 'work']) mkdirSync(join(folder, name), { mode: 0o700 });
  if (state !== null) {
    const upper = join(folder, 'upper');
    lchownSync(upper, state.user, state.group);
    chmodSync(upper, state.mode);
    openAttributes().calls?.setModified(Buffer.from(upper), state.modifiedNs);
  }
  writeFileSync(join(folder, MARK), '');
  return place;
}

async function layCopy(
  { folder, project }: ViewContext,
  signal?: AbortSignal,
): Promise<{ source: Listing; begun: Listing }> {
  refuseOverlap(project.root, folder);
  refuseMounts(project.root);
  const source = listTree(project, MOST_ENTRIES);
  if (source === null) throw messages.tooManyFiles(MOST_ENTRIES);
  const bytes = [...source.values()].reduce((sum, { kind, size }) => (kind === 'file' ? sum + size : sum), 0);
  const { bavail, bsize } = statfsSync(folder);
  if (bytes > MOST_BYTES) throw messages.tooManyBytes(MOST_BYTES / 1024 / 1024);
  if (bytes * 2 > bavail * bsize) throw messages.tooLittleSpace();
  const command = ['cp', '-a', '--reflink=auto', '-T', '--', project.root, join(folder, 'upper')];
  const { exit, wrong } = await runCopying(command, { signal });
  if (signal?.aborted === true) throw messages.stoppedCopying();
  if (exit !== 0) throw messages.cannotCopy(wrong.trim().split('\n')[0]);
  const begun = listTree(new Tree(join(folder, 'upper')), Number.POSITIVE_INFINITY) ?? new Map();
  return { source, begun };
}

function refuseOverlap(project: string, folder: string): void {
  if (!`${folder}/`.startsWith(project === '/' ? '/' : `${project}/`)) return;
  throw messages.containsOwnFiles(project);
}

/** An overlay neither shows nor holds back changes to file systems that are mounted inside a project. */
function refuseMounts(project: string): void {
  const [inside] = mountsBelow(parseMounts(readFileSync('/proc/self/mountinfo', 'utf8')), project);
  if (inside === undefined) return;
  throw messages.containsMount(inside);
}
