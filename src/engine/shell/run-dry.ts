import { countChanges, describeChanges, findLost } from '../../adapters/dry-run/describe-changes.ts';
import { Overlay } from '../../adapters/dry-run/overlay.ts';
import { type ChangeGroup, listDifferences, listOutside, wantsCopy } from '../../core/impact/change-set.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import type { AppliedReport, DryRunReport, OverlayMode } from '../../protocol/change-report.ts';
import type { CommandRecord, Driver } from '../../protocol/command.ts';
import { AishError } from '../../protocol/error.ts';
import { formatLasting, formatWriteOutside, KEEPS_BRANCHES, noDryRun, STOPPED } from './messages.ts';
import type { SandboxedLine, SandboxRunner } from './sandbox-runner.ts';
import { quote } from './session-outputs.ts';

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
  const overlay = await attempt('overlay', located, deps, folder, signal);
  const isEnough = typeof overlay !== 'string' && !overlay.isPoor;
  const copy = isEnough || signal.aborted ? null : await attempt('copy', located, deps, folder, signal);
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
async function attempt(
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
