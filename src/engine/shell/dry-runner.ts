import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Overlay } from '../../adapters/dry-run/overlay.ts';
import type { ChangeGroup } from '../../core/impact/change-set.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import type { AppliedReport, DryRunReport, OverlayMode } from '../../protocol/change-report.ts';
import type { CommandRecord, Driver } from '../../protocol/command.ts';
import { AishError } from '../../protocol/error.ts';
import { lazy } from './lazy.ts';
import type { SandboxedLine, SandboxRunner } from './sandbox-runner.ts';

/** What dry runs work with. */
export interface DryRunnerDeps {
  readonly sandbox: SandboxRunner;
  readonly gate: { context(): Promise<LineContext> };
  /** Our state directory, where the views lie. */
  readonly state: string;
}

/** Behind the first prompt. */
const SWEEP_AFTER_MS = 1000;

interface DryRunResult {
  readonly number: number;
  readonly view: Overlay;
  readonly groups: readonly ChangeGroup[];
}

interface Asked {
  readonly line: string;
  readonly driver: Driver;
  readonly number: number;
  /** What runs in place of the line, with the secrets it is handed. */
  readonly handed: SandboxedLine;
}

interface Request extends Omit<Asked, 'number'> {
  readonly context: LineContext;
}

interface Ran {
  readonly record: CommandRecord;
  readonly blocked: string | null;
  readonly hidden: readonly string[];
}

interface Attempt extends Omit<DryRunResult, 'number'> {
  readonly report: DryRunReport;
  /** A copy would come closer to a real run. */
  readonly isPoor: boolean;
}

/** The session's way to try a command on a view of the project, and to take over what it did there. */
export class DryRunner {
  readonly #deps: DryRunnerDeps;
  readonly #folder: string;
  #dryRunResult: DryRunResult | null = null;
  #running: { readonly stop: AbortController; readonly settled: Promise<void> } | null = null;
  #applying: Promise<unknown> = Promise.resolve();

  constructor(deps: DryRunnerDeps) {
    this.#deps = deps;
    this.#folder = join(deps.state, 'dryRuns');
  }

  /** Runs a command on a view. Throws `AishError` where that cannot be done here. */
  async dryRun(asked: Asked, signal: AbortSignal): Promise<DryRunReport> {
    await this.drop();
    const stop = new AbortController();
    const running = this.#dryRun(asked, AbortSignal.any([signal, stop.signal]));
    this.#running = { stop, settled: running.then(ignore, ignore) };
    return running;
  }

  async #dryRun({ number, ...asked }: Asked, signal: AbortSignal): Promise<DryRunReport> {
    const missing = await this.#deps.sandbox.whyMissing();
    if (missing !== null) throw impossible(missing, asked.driver);
    const request = { ...asked, context: await this.#deps.gate.context() };
    const overlay = await this.#run('overlay', request, signal);
    const isEnough = typeof overlay !== 'string' && !overlay.isPoor;
    const copy = isEnough || signal.aborted ? null : await this.#run('copy', request, signal);
    const best = typeof copy === 'object' && copy !== null ? copy : overlay;
    if (best !== overlay && typeof overlay !== 'string') await overlay.view.close();
    if (typeof best === 'string')
      throw impossible([best, ...(typeof copy === 'string' ? [copy] : [])].join('; '), asked.driver);
    if (signal.aborted) await best.view.close();
    else this.#dryRunResult = { number, view: best.view, groups: best.groups };
    return best.report;
  }

  /** When a dry run that can be applied began, in milliseconds since the epoch; null for any other. */
  begunAt(number: number): number | null {
    return this.#dryRunResult?.number === number ? this.#dryRunResult.view.begunAt : null;
  }

  /**
   * Applies what was tried in a dry run: all of it, or the items of these numbers. The signal ends it as long as nothing has been applied.
   */
  async apply(number: number, items: readonly number[] | null, signal: AbortSignal): Promise<AppliedReport> {
    const dryRunResult = this.#dryRunResult;
    if (dryRunResult === null || dryRunResult.number !== number)
      throw new AishError('dry-run.gone', 'the dry run is gone', { hint: 'dry-run it again' });
    const applying = applyItems(dryRunResult, items, signal);
    this.#applying = applying.catch(() => {});
    return applying;
  }

  /** Ends a dry run that runs and takes its view away; settles when nothing is left of it. */
  async end(): Promise<void> {
    const running = this.#running;
    running?.stop.abort();
    await running?.settled;
    await this.drop();
  }

  /** Takes the view away, if there is one. */
  async drop(): Promise<void> {
    const dryRunResult = this.#dryRunResult;
    this.#dryRunResult = null;
    await this.#applying;
    await dryRunResult?.view.close();
  }

  /** Removes, when nobody waits for it, what processes that are gone have left. */
  sweepLater(): void {
    setTimeout(() => void this.sweep(), SWEEP_AFTER_MS).unref();
  }

  /** Removes what processes that are gone have left. */
  async sweep(): Promise<void> {
    if (!existsSync(this.#folder)) return;
    const { sweepViews } = await lazy.overlay();
    await sweepViews(this.#folder);
  }

  /** What came of one way, or why it is not open here. */
  async #run(way: OverlayMode, { context, ...asked }: Request, signal: AbortSignal): Promise<Attempt | string> {
    const { Overlay } = await lazy.overlay();
    const { project } = context;
    let view: Overlay | null = null;
    try {
      view = await Overlay.lay(way, project, this.#folder, signal);
      const command = { ...asked, kind: 'mutating', context, view: view.forSandbox } as const;
      const ran = await this.#deps.sandbox.run(command, signal);
      if (ran.record === null || signal.aborted) {
        await view.close();
        return ran.blocked ?? 'it was stopped';
      }
      return await this.#report(view, { ...ran, record: ran.record }, project, signal);
    } catch (thrown) {
      await view?.close();
      if (thrown instanceof AishError) return thrown.message;
      throw thrown;
    }
  }

  async #report(
    view: Overlay,
    { record, blocked, hidden }: Ran,
    project: string,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { countChanges, describeChanges } = await lazy.describeChanges();
    const { listDifferences, listOutside, wantsCopy } = await lazy.changeSet();
    const { findLost } = await lazy.lost();
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
      unknown: listOutside(record.output, project).map(
        (path) => `${path}, which it tried to write outside the project`,
      ),
      notes: [...listDifferences(record.output, { way: view.way, blocked, hidden, isRoot }), ...undoable],
    };
    // In an overlay no folder of the project can be renamed, and a file with other names is another file once it is written to.
    return { view, groups, report, isPoor: view.hasShared() || wantsCopy(record.output) };
  }
}

function ignore(): void {}

/** A line of the user's own has no question that could be answered. */
function impossible(why: string, driver: Driver): AishError {
  return new AishError('dry-run.impossible', `cannot dry-run here: ${why}`, {
    hint:
      driver === 'user'
        ? 'without :dry-run before it, it runs for real'
        : 'answer y to run it for real, where an undo takes back what can be taken back',
  });
}

/** Everything is applied at once where nothing was chosen: then folders get their times as well. */
async function applyItems(
  { view, groups }: DryRunResult,
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
