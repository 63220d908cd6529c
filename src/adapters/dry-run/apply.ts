import {
  chmodSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isUntouched, type PathChange } from '../../core/impact/change-set.ts';
import { killGroup } from '../system/processes.ts';
import { type ApplyConflict, CONFLICTS, formatCopyStatus, notApplied } from './messages.ts';
import { type Attributes, below, OVERLAY_NOTES, Tree } from './tree.ts';

interface ApplyRequest {
  readonly project: Tree;
  /** The view as the command left it. */
  readonly view: Tree;
  readonly attributes: Attributes;
  readonly changes: readonly PathChange[];
  /** Times of change of the folders that were written in; empty where only some changes are applied. */
  readonly folders: ReadonlyMap<string, bigint>;
  /** Ends it before anything is applied; what is being put is put. */
  readonly signal?: AbortSignal | undefined;
}

/** Raw paths that were not applied, each with the reason as text. */
export type Conflicts = ReadonlyMap<string, string>;

/**
 * Puts changes into a project, each only if the project still holds the content under the overlay. Everything is moved there, so that a
 * path changes in one step and keeps its properties: rights, times, attributes, holes, other names. If the overlay is on another file
 * system it is copied next to the project first, so that a full disk stops it before anything has changed.
 */
export async function applyChanges(request: ApplyRequest): Promise<Conflicts> {
  const conflicts = new Map<string, string>();
  const made = new Set(request.changes.filter(isFolderMade).map(({ path }) => path));
  const isStillFree = (change: PathChange): boolean => isFree(change, { project: request.project, made }, conflicts);
  const wanted = request.changes.filter(isStillFree);
  const isNear = request.project.state('')?.device === request.view.state('')?.device;
  refuseStopped(request.signal);
  const stage = isNear ? null : await openStage(request, wanted);
  try {
    // Copying takes its time.
    const free = stage === null ? wanted : wanted.filter(isStillFree);
    new Applying(request, stage ?? request.view, conflicts).apply(free);
  } finally {
    if (stage !== null) rmSync(stage.root, { recursive: true, force: true });
  }
  return conflicts;
}

/** Paths come before what is in them, so what is in a folder that cannot be made is left as well. */
function isFree(
  change: PathChange,
  { project, made }: { readonly project: Tree; readonly made: ReadonlySet<string> },
  conflicts: Map<string, string>,
): boolean {
  const { path, before, after, linkTo, conflict } = change;
  // Deleting the content of a folder does not depend on the folder itself.
  const above = path === '' || after === null ? undefined : conflicts.get(folderOf(path));
  const isReplaced = foldersOf(path).some((folder) => !made.has(folder) && isNoFolder(project, folder));
  const isTouched = !isUntouched(project.state(path), before);
  const isLinkTouched = linkTo !== undefined && !isUntouched(project.state(linkTo.path), linkTo.before);
  const found: ApplyConflict | undefined = isReplaced
    ? 'folder-replaced'
    : isTouched
      ? 'touched'
      : isLinkTouched
        ? 'link-touched'
        : undefined;
  const code = conflict ?? (above === undefined ? found : undefined);
  const reason = code === undefined ? above : CONFLICTS[code];
  if (reason === undefined) return true;
  conflicts.set(path, reason);
  return false;
}

/** A link that stands where a folder was would lead what is applied to somewhere else. */
function isNoFolder(project: Tree, folder: string): boolean {
  const kind = project.state(folder)?.kind;
  return kind !== undefined && kind !== 'folder';
}

class Applying {
  readonly #request: ApplyRequest;
  readonly #source: Tree;
  readonly #conflicts: Map<string, string>;
  /** When folders were last changed before anything was applied in them. */
  readonly #times = new Map<string, bigint>();

  constructor(request: ApplyRequest, source: Tree, conflicts: Map<string, string>) {
    this.#request = request;
    this.#source = source;
    this.#conflicts = conflicts;
  }

  apply(changes: readonly PathChange[]): void {
    const shallow = [...changes].sort((one, other) => (one.path < other.path ? -1 : 1));
    const deep = shallow.toReversed();
    for (const { path } of changes) this.#keepTime(folderOf(path));
    for (const change of deep) if (isRemoved(change)) this.#try(change, () => this.#remove(change));
    for (const change of shallow) if (isFolderMade(change)) this.#try(change, () => this.#makeFolder(change));
    for (const change of shallow) if (isPut(change)) this.#try(change, () => this.#put(change));
    for (const change of shallow) {
      const { path, linkTo } = change;
      if (linkTo !== undefined) this.#try(change, () => this.#link(path, linkTo.path));
    }
    // Rights may close a folder, so they come last.
    this.#setTimes(changes);
    for (const change of deep) if (change.after?.kind === 'folder') this.#try(change, () => this.#dress(change));
  }

  #try(change: PathChange, act: () => void): void {
    if (this.#conflicts.has(change.path)) return;
    try {
      act();
    } catch (thrown) {
      this.#conflicts.set(change.path, thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  #remove({ path, before }: PathChange): void {
    const at = this.#request.project.at(path);
    if (before?.kind === 'folder') rmdirSync(at);
    else unlinkSync(at);
  }

  /** Writable until what is in it is there. */
  #makeFolder({ path }: PathChange): void {
    mkdirSync(this.#request.project.at(path), { mode: 0o700 });
  }

  #put({ path }: PathChange): void {
    const { project, attributes } = this.#request;
    const source = this.#source.at(path);
    for (const name of attributes.calls?.attributes(source).keys() ?? [])
      if (OVERLAY_NOTES.test(name)) attributes.calls?.removeAttribute(source, name);
    renameSync(source, project.at(path));
  }

  /** Made beside its place and moved there: what is there stays until it is replaced. */
  #link(path: string, to: string): void {
    const { project } = this.#request;
    const beside = project.at(below(folderOf(path), `${STAGE}link-${process.pid}`));
    linkSync(project.at(to), beside);
    try {
      renameSync(beside, project.at(path));
    } finally {
      // Both being names of one file already, a rename leaves both.
      rmSync(beside, { force: true });
    }
  }

  #dress({ path, before, after }: PathChange): void {
    const { project } = this.#request;
    if (after === null) return;
    const at = project.at(path);
    const now = before?.kind === 'folder' ? before : project.state(path);
    if (now?.user !== after.user || now.group !== after.group) lchownSync(at, after.user, after.group);
    chmodSync(at, after.mode);
    if (before?.kind === 'folder' && !this.#request.folders.has(path))
      this.#request.attributes.calls?.setModified(at, after.modifiedNs);
  }

  #keepTime(folder: string): void {
    const state = this.#times.has(folder) ? null : this.#request.project.state(folder);
    if (state !== null) this.#times.set(folder, state.modifiedNs);
  }

  /** Putting a file in the place of another tells in the time of its folder, which writing to it does not. */
  #setTimes(changes: readonly PathChange[]): void {
    const { project, folders, attributes } = this.#request;
    const isWhole = folders.size > 0 && this.#conflicts.size === 0;
    const busy = new Set(changes.filter(isEntryChange).map(({ path }) => folderOf(path)));
    const times = new Map([...this.#times].filter(([path]) => !busy.has(path)));
    if (isWhole) for (const [path, ns] of folders) times.set(path, ns);
    for (const [path, ns] of [...times].sort(([one], [other]) => (one < other ? 1 : -1)))
      if (project.state(path)?.kind === 'folder') attributes.calls?.setModified(project.at(path), ns);
  }
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** A name comes, goes, or means something of another kind. */
function isEntryChange({ before, after }: PathChange): boolean {
  return before?.kind !== after?.kind;
}

function isRemoved({ before, after }: PathChange): boolean {
  if (before === null) return false;
  return after === null || (before.kind !== after.kind && (before.kind === 'folder' || after.kind === 'folder'));
}

function isFolderMade({ before, after }: PathChange): boolean {
  return after?.kind === 'folder' && before?.kind !== 'folder';
}

function isPut({ after, linkTo }: PathChange): boolean {
  return after !== null && after.kind !== 'folder' && linkTo === undefined;
}

const STAGE = '.aish-applies-';

/** Marks in an overlay that there is a stage, for a process that finds the overlay after its owner was killed. */
const STAGED = 'stage';

/** Removes what a process that was killed has left next to the project it applied to. */
export function removeStage(folder: string): void {
  const note = join(folder, STAGED);
  const stage = existsSync(note) ? readFileSync(note, 'utf8') : '';
  if (basename(stage).startsWith(STAGE)) rmSync(stage, { recursive: true, force: true });
}

/** Copies what is to be put next to where it goes: within one file system it is moved in one step. */
async function openStage({ project, view, signal }: ApplyRequest, changes: readonly PathChange[]): Promise<Tree> {
  const stage = new Tree(mkdtempSync(join(project.root, STAGE)));
  writeFileSync(join(dirname(view.root), STAGED), stage.root);
  try {
    const put = changes.filter(isPut);
    const folders = new Set(put.flatMap(({ path }) => foldersOf(path)));
    for (const folder of [...folders].sort()) mkdirSync(stage.at(folder));
    const seen = new Map<bigint, string>();
    const later: (readonly [string, string])[] = [];
    const words: Buffer[] = [];
    for (const { path, after } of put) {
      const known = after === null || after.names === 1 ? undefined : seen.get(after.inode);
      if (after !== null) seen.set(after.inode, path);
      if (known !== undefined) later.push([known, path]);
      else words.push(view.at(path), Buffer.of(0), stage.at(path), Buffer.of(0));
    }
    await copyAll(Buffer.concat(words), signal);
    for (const [from, to] of later) linkSync(stage.at(from), stage.at(to));
    return stage;
  } catch (thrown) {
    rmSync(stage.root, { recursive: true, force: true });
    throw thrown;
  }
}

function foldersOf(path: string): readonly string[] {
  const found: string[] = [];
  for (let cut = path.indexOf('/'); cut > 0; cut = path.indexOf('/', cut + 1)) found.push(path.slice(0, cut));
  return found;
}

function refuseStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw notApplied(null);
}

/** Copies files and folders with all their properties, by pairs of a source and its target. Each word ends with a NUL. */
export async function copyPairs(words: Buffer, signal: AbortSignal | undefined): Promise<Copied> {
  const command = ['xargs', '-0', '-n', '2', 'cp', '-a', '--reflink=auto', '-T', '--'];
  return words.length === 0 ? { exit: 0, wrong: '' } : runCopying(command, { stdin: words, signal });
}

async function copyAll(words: Buffer, signal: AbortSignal | undefined): Promise<void> {
  const { exit, wrong } = await copyPairs(words, signal);
  refuseStopped(signal);
  if (exit === 0) return;
  const [why = formatCopyStatus(exit)] = wrong.trim().split('\n');
  throw notApplied(why);
}

interface Copied {
  readonly exit: number;
  /** Its message about the error. */
  readonly wrong: string;
}

/** Runs a program that copies; the signal kills it with all that it has started. */
export async function runCopying(
  command: readonly string[],
  { stdin = null, signal }: { readonly stdin?: Buffer | null; readonly signal?: AbortSignal | undefined } = {},
): Promise<Copied> {
  if (signal?.aborted === true) return { exit: -1, wrong: '' };
  // In a group of its own, so that it can be killed as a whole.
  const child = Bun.spawn([...command], { stdin: stdin ?? 'ignore', stdout: 'ignore', stderr: 'pipe', detached: true });
  const kill = (): void => killGroup(child.pid);
  signal?.addEventListener('abort', kill, { once: true });
  try {
    const [wrong, exit] = await Promise.all([child.stderr.text(), child.exited]);
    return { exit, wrong };
  } finally {
    signal?.removeEventListener('abort', kill);
  }
}
