import { countChanges, describeChanges, findLost } from '../../adapters/dry-run/describe-changes.ts';
import { Overlay } from '../../adapters/dry-run/overlay.ts';
import { isSameContent, type Tree } from '../../adapters/dry-run/tree.ts';
import { openRepository } from '../../adapters/git/object-store/repository.ts';
import { readIgnored } from '../../adapters/git/process/git-process.ts';
import { foldersAbove, formatRawPath, lstatOrNull, toFullPath } from '../../adapters/git/process/raw-path.ts';
import { LARGEST_FILE } from '../../adapters/git/snapshot/snapshot-limits.ts';
import {
  type ChangeGroup,
  listDifferences,
  listOutside,
  type PathChange,
  wantsCopy,
} from '../../core/impact/change-set.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import { attempt } from '../../core/text/attempt.ts';
import { quote } from '../../core/text/quote.ts';
import type { AppliedReport, DryRunReport, OverlayMode } from '../../protocol/change-report.ts';
import type { CommandRecord, Driver } from '../../protocol/command.ts';
import type { FenceCode } from '../../protocol/contract.ts';
import { AishError } from '../../protocol/error.ts';
import { formatLasting, formatWriteOutside, KEEPS_BRANCHES, noDryRun, STOPPED } from './messages.ts';
import type { SandboxedLine, SandboxRunner } from './sandbox-runner.ts';

/** Dependencies of dry runs. */
export interface DryRunDeps {
  readonly sandbox: SandboxRunner;
  readonly gate: {
    context(): Promise<LineContext>;
    /** The shell that runs the line, where it may read the line otherwise than bash. */
    shellOf(line: string, context: LineContext): Promise<string | null>;
  };
  /** The state directory, which holds the overlays. */
  readonly state: string;
}

/** A command to try. */
export interface DryRunRequest {
  readonly line: string;
  readonly driver: Driver;
  /** The line to run, with its secrets. */
  readonly handed: SandboxedLine;
  /** Files that it cannot change, relative to the project. */
  readonly fixed?: readonly string[];
}

interface Ran {
  readonly record: CommandRecord;
  readonly blocked: string | null;
  readonly hidden: readonly string[];
}

/** The result of one mode. */
export interface Attempt {
  readonly view: Overlay;
  readonly groups: readonly ChangeGroup[];
  readonly report: DryRunReport;
  /** A copy of the project would be more exact. */
  readonly isPoor: boolean;
}

/** Runs a command on an overlay, or on a copy if that is more exact. Throws `AishError` if neither is possible. */
export async function runDry(
  asked: DryRunRequest,
  deps: DryRunDeps,
  folder: string,
  signal: AbortSignal,
): Promise<Attempt> {
  const missing = await deps.sandbox.whyMissing();
  if (missing !== null) throw noDryRun(missing, asked.driver);
  const context = await deps.gate.context();
  const handed = await forOwnShell(asked.handed, context, deps);
  const located = { ...asked, handed, context };
  const overlay = await tryMode('overlay', located, deps, folder, signal);
  const isEnough = typeof overlay !== 'string' && !overlay.isPoor;
  const copy = isEnough || signal.aborted ? null : await tryMode('copy', located, deps, folder, signal);
  const best = typeof copy === 'object' && copy !== null ? copy : overlay;
  if (best !== overlay && typeof overlay !== 'string') await overlay.view.close();
  if (typeof best === 'string')
    throw noDryRun([best, ...(typeof copy === 'string' ? [copy] : [])].join('; '), asked.driver);
  return best;
}

/** A command that ran on an overlay, and all raw paths that it wrote to. */
export interface Checked {
  readonly record: CommandRecord;
  readonly written: readonly string[];
}

/** Runs a command on an overlay, which is deleted afterwards. Throws `AishError` if that is impossible here. */
export async function runCheck(
  request: DryRunRequest,
  deps: DryRunDeps,
  folder: string,
  signal: AbortSignal,
): Promise<Checked> {
  const { report, view } = await runDry(request, deps, folder, signal);
  const written = view.touched();
  await view.close();
  return { record: report.record, written };
}

/** How zsh and fish run a line without their startup files, as bash does in the sandbox. */
const WITHOUT_STARTUP: Readonly<Record<string, string>> = { zsh: 'zsh -f -c', fish: 'fish --no-config -c' };

/** A line that the user's shell may read otherwise than bash goes to that shell, as it would without a dry run. */
async function forOwnShell(handed: SandboxedLine, context: LineContext, { gate }: DryRunDeps): Promise<SandboxedLine> {
  const start = WITHOUT_STARTUP[(await gate.shellOf(handed.line, context)) ?? ''];
  return start === undefined ? handed : { ...handed, line: `exec ${start} ${quote(handed.line)}` };
}

/** The result of one mode, or why it is impossible here. */
async function tryMode(
  way: OverlayMode,
  { context, fixed = [], ...asked }: DryRunRequest & { readonly context: LineContext },
  { sandbox }: Pick<DryRunDeps, 'sandbox'>,
  folder: string,
  signal: AbortSignal,
): Promise<Attempt | string> {
  const { project } = context;
  let view: Overlay | null = null;
  try {
    view = await Overlay.lay(way, project, folder, signal);
    const command = {
      ...asked,
      kind: 'mutating',
      context,
      view: { ...view.forSandbox, fixed: fixed.map((path) => `${project}/${path}`) },
    } as const;
    const ran = await sandbox.run(command, signal);
    if (ran.record === null || signal.aborted) {
      await view.close();
      return ran.blocked ?? STOPPED;
    }
    return await toAttempt(view, { ...ran, record: ran.record }, project, signal);
  } catch (thrown) {
    await view?.close();
    if (thrown instanceof AishError) return thrown.message;
    throw thrown;
  }
}

async function toAttempt(
  view: Overlay,
  { record, blocked, hidden }: Ran,
  project: string,
  signal: AbortSignal,
): Promise<Attempt> {
  const changes = view.changes();
  const lost = await findLost(project, changes, signal);
  const { groups, items } = describeChanges(changes, { project: view.project, view: view.written }, lost.paths);
  const isRoot = process.getuid?.() === 0;
  const movesRefs = groups.some(({ kind }) => kind === 'repository');
  const undoable = [
    ...(lost.nothing === null ? [] : [formatLasting(lost.nothing)]),
    ...(movesRefs ? [KEEPS_BRANCHES] : []),
  ];
  const report: DryRunReport = {
    way: view.way,
    project,
    record,
    items,
    count: groups.length,
    effects: countChanges({ changes, groups, lost: lost.paths, project }),
    hosts: [],
    unknown: listOutside(record.output, project).map(formatWriteOutside),
    notes: [...listDifferences(record.output, { way: view.way, blocked, hidden, isRoot }), ...undoable],
  };
  // An overlay cannot rename a folder of the project, and a write parts a file from its hard links.
  return { view, groups, report, isPoor: view.hasShared() || wantsCopy(record.output) };
}

/** Applies the changes. Applying everything at once also restores the times of folders. */
export async function applyItems(
  { view, groups }: Pick<Attempt, 'view' | 'groups'>,
  items: readonly number[] | null,
  signal: AbortSignal,
): Promise<AppliedReport> {
  const chosen = groups.filter((_, at) => items === null || items.includes(at + 1));
  const changes = view.changes();
  const isAll = chosen.length === groups.length;
  const conflicts = await view.apply(isAll ? null : chosen.flatMap(({ members }) => members), signal);
  const isWhole = ({ members }: ChangeGroup): boolean => members.every((at) => !conflicts.has(changes[at]?.path ?? ''));
  return {
    applied: chosen.filter(isWhole).map(({ path }) => toText(path)),
    left: groups.filter((group) => !chosen.includes(group)).map(({ path }) => toText(path)),
    conflicts: [...conflicts].map(([path, why]) => ({ path: toText(path), why })),
  };
}

function toText(path: string): string {
  return path === '' ? '.' : Buffer.from(path, 'latin1').toString('utf8');
}

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
  const tried = await runDry(request, deps, folder, signal);
  try {
    return await applyFenced(tried, fences, signal);
  } finally {
    await tried.view.close();
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
