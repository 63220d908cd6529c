import { countChanges, describeChanges, findLost } from '../../adapters/dry-run/describe-changes.ts';
import { Overlay } from '../../adapters/dry-run/overlay.ts';
import { type ChangeGroup, listDifferences, listOutside, wantsCopy } from '../../core/impact/change-set.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import type { AppliedReport, DryRunReport, OverlayMode } from '../../protocol/change-report.ts';
import type { CommandRecord, Driver } from '../../protocol/command.ts';
import { AishError } from '../../protocol/error.ts';
import type { SandboxedLine, SandboxRunner } from './sandbox-runner.ts';

/** What dry runs work with. */
export interface DryRunDeps {
  readonly sandbox: SandboxRunner;
  readonly gate: { context(): Promise<LineContext> };
  /** Our state directory, where the views lie. */
  readonly state: string;
}

/** A command to try. */
export interface DryRunRequest {
  readonly line: string;
  readonly driver: Driver;
  /** What runs in place of the line, with the secrets it is handed. */
  readonly handed: SandboxedLine;
}

interface Located extends DryRunRequest {
  readonly context: LineContext;
}

interface Ran {
  readonly record: CommandRecord;
  readonly blocked: string | null;
  readonly hidden: readonly string[];
}

/** What came of one try. */
export interface Attempt {
  readonly view: Overlay;
  readonly groups: readonly ChangeGroup[];
  readonly report: DryRunReport;
  /** A copy would come closer to a real run. */
  readonly isPoor: boolean;
}

/** Runs a command on a view: an overlay, or a copy where that comes closer to a real run. Throws `AishError` where neither can be made. */
export async function runDry(
  asked: DryRunRequest,
  deps: DryRunDeps,
  folder: string,
  signal: AbortSignal,
): Promise<Attempt> {
  const missing = await deps.sandbox.whyMissing();
  if (missing !== null) throw impossible(missing, asked.driver);
  const located = { ...asked, context: await deps.gate.context() };
  const overlay = await attempt('overlay', located, deps, folder, signal);
  const isEnough = typeof overlay !== 'string' && !overlay.isPoor;
  const copy = isEnough || signal.aborted ? null : await attempt('copy', located, deps, folder, signal);
  const best = typeof copy === 'object' && copy !== null ? copy : overlay;
  if (best !== overlay && typeof overlay !== 'string') await overlay.view.close();
  if (typeof best === 'string')
    throw impossible([best, ...(typeof copy === 'string' ? [copy] : [])].join('; '), asked.driver);
  return best;
}

/** What came of one way, or why it is not open here. */
async function attempt(
  way: OverlayMode,
  { context, ...asked }: Located,
  { sandbox }: Pick<DryRunDeps, 'sandbox'>,
  folder: string,
  signal: AbortSignal,
): Promise<Attempt | string> {
  const { project } = context;
  let view: Overlay | null = null;
  try {
    view = await Overlay.lay(way, project, folder, signal);
    const command = { ...asked, kind: 'mutating', context, view: view.forSandbox } as const;
    const ran = await sandbox.run(command, signal);
    if (ran.record === null || signal.aborted) {
      await view.close();
      return ran.blocked ?? 'it was stopped';
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
    ...(lost.nothing === null ? [] : [`Undo cannot take it back once it is applied: ${lost.nothing}.`]),
    ...(movesRefs ? ['Undo restores files, not branches: the change of .git stays once it is applied.'] : []),
  ];
  const report: DryRunReport = {
    way: view.way,
    project,
    record,
    items,
    count: groups.length,
    effects: countChanges({ changes, groups, lost: lost.paths, project }),
    hosts: [],
    unknown: listOutside(record.output, project).map((path) => `${path}, which it tried to write outside the project`),
    notes: [...listDifferences(record.output, { way: view.way, blocked, hidden, isRoot }), ...undoable],
  };
  // In an overlay no folder of the project can be renamed, and a file with other names is another file once it is written to.
  return { view, groups, report, isPoor: view.hasShared() || wantsCopy(record.output) };
}

/** A line of the user's own has no question that could be answered. */
function impossible(why: string, driver: Driver): AishError {
  return new AishError('dry-run.impossible', `cannot dry-run here: ${why}`, {
    hint:
      driver === 'user'
        ? 'without :dry-run before it, it runs for real'
        : 'answer y to run it for real, where an undo takes back what can be taken back',
  });
}

/** Applies what was tried: at once where nothing was chosen, so that folders get their times as well. */
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

/** A raw path as users read it. */
function toText(path: string): string {
  return path === '' ? '.' : Buffer.from(path, 'latin1').toString('utf8');
}
