import { isSameContent, type Tree } from '../../adapters/dry-run/tree.ts';
import { openRepository } from '../../adapters/git/object-store/repository.ts';
import { readIgnored } from '../../adapters/git/process/git-process.ts';
import { foldersAbove, formatRawPath, lstatOrNull, toFullPath } from '../../adapters/git/process/raw-path.ts';
import { LARGEST_FILE } from '../../adapters/git/snapshot/snapshot-limits.ts';
import type { PathChange } from '../../core/impact/change-set.ts';
import { attempt } from '../../core/text/attempt.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { FenceCode } from '../../protocol/contract.ts';
import { type Attempt, type DryRunDeps, type DryRunRequest, runDry } from './run-dry.ts';

/** The fences of an autonomous run. */
export interface RunFences {
  /** The fence at a path of the project; null if it may change. */
  readonly fenceAt: (path: string) => FenceCode | null;
  /** Takes the files and links that have changed, raw and relative to the project, before anything else can happen. */
  readonly onApplied: (paths: readonly string[]) => void;
}

/** A command that ran on a copy of the project. Its paths are relative to the project. */
export interface FencedRun {
  readonly record: CommandRecord;
  /** Changes that are in the project now. */
  readonly applied: readonly string[];
  /** Changes that no undo could restore, and on which nothing depends. */
  readonly discarded: readonly string[];
  /** The fence that stopped all changes; null if none did. */
  readonly broken: { readonly path: string; readonly code: FenceCode } | null;
}

/** Files in which git keeps what it can make again. */
const WORKING_DATA =
  /(?:^|\/)\.git\/(?:index|.*\.lock|objects(?:\/.*)?|logs(?:\/.*)?|COMMIT_EDITMSG|FETCH_HEAD|ORIG_HEAD)$/;
const SET_ID = 0o6000;
const EXECUTABLE = 0o100;

/** Runs a command on an overlay, and applies its changes if no fence is in the way of one. */
export async function runFenced(
  request: DryRunRequest,
  fences: RunFences,
  { deps, folder }: { readonly deps: DryRunDeps; readonly folder: string },
  signal: AbortSignal,
): Promise<FencedRun> {
  const attempt = await runDry(request, deps, folder, signal);
  try {
    return await applyFenced(attempt, fences, signal);
  } finally {
    await attempt.view.close();
  }
}

/** Applies the changes of a command that ran on a copy, if no fence is in the way of one. */
async function applyFenced(
  { view, report }: Attempt,
  { fenceAt, onApplied }: RunFences,
  signal: AbortSignal,
): Promise<FencedRun> {
  const { record } = report;
  const changes = view.changes();
  const ignored = await findIgnored(report.project, changes, signal);
  const seen = changes.filter(
    (change) => !ignored.has(change.path) && !WORKING_DATA.test(change.path) && !isOnlyTime(change),
  );
  for (const change of seen) {
    const path = formatRawPath(change.path);
    const code = fenceAt(path) ?? whyNotUndoable(change) ?? (isInOther(report.project, change) ? 'not-undoable' : null);
    if (code !== null) return { record, applied: [], discarded: [], broken: { path, code } };
  }
  const kept = findKept(seen, { project: view.project, view: view.written });
  const discarded = changes
    .filter((change) => !kept.has(change) && !isOnlyTime(change))
    .map(({ path }) => formatRawPath(path));
  if (kept.size === 0 || signal.aborted) return { record, applied: [], discarded, broken: null };
  const members = changes.flatMap((change, at) => (kept.has(change) ? [at] : []));
  const conflicts = await view.apply(members.length === changes.length ? null : members, signal);
  const done = [...kept].filter(({ path }) => !conflicts.has(path));
  onApplied(done.filter(holdsFile).map(({ path }) => path));
  const left = [...conflicts.keys()].map(formatRawPath);
  return {
    record,
    applied: done.map(({ path }) => formatRawPath(path)),
    discarded: [...discarded, ...left],
    broken: null,
  };
}

/** A folder whose content changed has another time; the content counts path by path. */
function isOnlyTime({ before, after }: PathChange): boolean {
  return before?.kind === 'folder' && after?.kind === 'folder' && before.mode === after.mode;
}

function whyNotUndoable({ before, after }: PathChange): FenceCode | null {
  if (before?.kind === 'other') return 'not-undoable';
  if (after?.kind === 'other') return before === null ? null : 'not-undoable';
  if (isLarge(before) || isLarge(after)) return 'not-undoable';
  return after?.kind === 'file' && (after.mode & SET_ID) !== 0 && before?.mode !== after.mode ? 'privileged' : null;
}

/** The files of a submodule, or of another repository inside the project, are in no snapshot of the project. */
function isInOther(project: string, { path }: PathChange): boolean {
  return foldersAbove(path).some((folder) => lstatOrNull(toFullPath(project, `${folder}.git`)) !== null);
}

function isLarge(state: PathChange['after']): boolean {
  return state?.kind === 'file' && state.size > LARGEST_FILE;
}

interface Sides {
  readonly project: Tree;
  readonly view: Tree;
}

/** The changes that a snapshot holds: files and links, and the folders that come or go with them. */
function findKept(changes: readonly PathChange[], sides: Sides): ReadonlySet<PathChange> {
  const files = new Set(changes.filter((change) => holdsFile(change) && !isSameForSnapshot(change, sides)));
  const filled = new Set([...files].flatMap(({ path }) => foldersAbove(path)));
  const isFilled = ({ path, before, after }: PathChange): boolean =>
    before?.kind !== after?.kind && filled.has(`${path}/`);
  return new Set(changes.filter((change) => files.has(change) || isFilled(change)));
}

/** A snapshot holds no folder, and no pipe that was made. */
function holdsFile({ before, after }: PathChange): boolean {
  const isHeld = (state: PathChange['after']): boolean => state?.kind === 'file' || state?.kind === 'link';
  return isHeld(before) || isHeld(after);
}

/** Only another owner, other attributes, other times, or a mode that git does not know. */
function isSameForSnapshot({ path, before, after }: PathChange, { project, view }: Sides): boolean {
  if (before === null || after === null || before.kind !== after.kind) return false;
  if (after.kind === 'file' && (before.mode & EXECUTABLE) !== (after.mode & EXECUTABLE)) return false;
  // The user may have removed it meanwhile.
  return attempt(
    () => isSameContent({ tree: project, path, state: before }, { tree: view, path, state: after }),
    false,
  );
}

async function findIgnored(
  project: string,
  changes: readonly PathChange[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  // A pattern such as `build/` covers only folders, and git does not see a folder that is only in the copy.
  const named = changes.map(({ path, before, after }) => ((after ?? before)?.kind === 'folder' ? `${path}/` : path));
  const paths = named.filter((path) => path !== '/' && path !== '' && !/(?:^|\/)\.git(?:\/|$)/.test(path));
  if (paths.length === 0) return new Set();
  const { place } = await openRepository(project, { signal });
  const { ignored } = await readIgnored({ ...place, cwd: project, signal }, paths);
  return new Set(ignored.map((path) => path.replace(/\/$/, '')));
}
