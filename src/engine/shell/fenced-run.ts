import { openRepository } from '../../adapters/git/object-store/repository.ts';
import { readIgnored } from '../../adapters/git/process/git-process.ts';
import { formatRawPath } from '../../adapters/git/process/raw-path.ts';
import { LARGEST_FILE } from '../../adapters/git/snapshot/snapshot-limits.ts';
import type { PathChange } from '../../core/impact/change-set.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { FenceCode } from '../../protocol/contract.ts';
import type { Attempt } from './run-dry.ts';

/** The fence at a path of the project; null if it may change. */
export type FenceAt = (path: string) => FenceCode | null;

/** A command that ran on a copy of the project. Its paths are relative to the project. */
export interface FencedRun {
  readonly record: CommandRecord;
  /** Changes that are in the project now. */
  readonly applied: readonly string[];
  /** Changes of files that git ignores, or of git's working data: no undo has them, and nothing depends on them. */
  readonly discarded: readonly string[];
  /** The fence that stopped all changes; null if none did. */
  readonly broken: { readonly path: string; readonly code: FenceCode } | null;
}

/** Files in which git keeps what it can make again. */
const WORKING_DATA =
  /(?:^|\/)\.git\/(?:index|.*\.lock|objects(?:\/.*)?|logs(?:\/.*)?|COMMIT_EDITMSG|FETCH_HEAD|ORIG_HEAD)$/;
const SET_ID = 0o6000;

/** Applies the changes of a command that ran on a copy, if no fence is in the way of one. */
export async function applyFenced(
  { view, report }: Attempt,
  fenceAt: FenceAt,
  signal: AbortSignal,
): Promise<FencedRun> {
  const changes = view.changes();
  const ignored = await findIgnored(report.project, changes, signal);
  const isDiscarded = ({ path }: PathChange): boolean => ignored.has(path) || WORKING_DATA.test(path);
  const kept = changes.flatMap((change, at) => (isDiscarded(change) || isOnlyTime(change) ? [] : [{ change, at }]));
  const { record } = report;
  const discarded = changes.filter(isDiscarded).map(({ path }) => formatRawPath(path));
  for (const { change } of kept) {
    const path = formatRawPath(change.path);
    const code = fenceAt(path) ?? whyNotUndoable(change);
    if (code !== null) return { record, applied: [], discarded: [], broken: { path, code } };
  }
  if (kept.length === 0 || signal.aborted) return { record, applied: [], discarded, broken: null };
  const conflicts = await view.apply(kept.length === changes.length ? null : kept.map(({ at }) => at), signal);
  const applied = kept.flatMap(({ change }) => (conflicts.has(change.path) ? [] : [formatRawPath(change.path)]));
  return { record, applied, discarded: [...discarded, ...[...conflicts.keys()].map(formatRawPath)], broken: null };
}

/** A folder whose content changed has another time; the content counts path by path. */
function isOnlyTime({ before, after }: PathChange): boolean {
  return before?.kind === 'folder' && after?.kind === 'folder' && before.mode === after.mode;
}

function whyNotUndoable({ before, after }: PathChange): FenceCode | null {
  if (before?.kind === 'file' && before.size > LARGEST_FILE) return 'not-undoable';
  return after?.kind === 'file' && (after.mode & SET_ID) !== 0 && before?.mode !== after.mode ? 'privileged' : null;
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
