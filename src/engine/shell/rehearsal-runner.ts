import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RehearsalView } from '../../adapters/rehearsal/view.ts';
import type { LineGround } from '../../core/gate/judge-line.ts';
import type { ChangeGroup } from '../../core/rehearsal/change-set.ts';
import type { CommandRecord, Driver } from '../../protocol/command.ts';
import { AishError } from '../../protocol/error.ts';
import type { AppliedReport, RehearsalReport, RehearsalWay } from '../../protocol/rehearsal.ts';
import type { SandboxedLine, SandboxRunner } from './sandbox-runner.ts';

/** What rehearsals work with. */
export interface RehearsalRunnerParts {
  readonly sandbox: SandboxRunner;
  readonly gate: { ground(): Promise<LineGround> };
  /** Our state directory, where the views lie. */
  readonly state: string;
}

/** Behind the first prompt. */
const SWEEP_AFTER_MS = 1000;

interface Rehearsed {
  readonly number: number;
  readonly view: RehearsalView;
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
  readonly ground: LineGround;
}

interface Ran {
  readonly record: CommandRecord;
  readonly blocked: string | null;
  readonly hidden: readonly string[];
}

interface Attempt extends Omit<Rehearsed, 'number'> {
  readonly report: RehearsalReport;
  /** A copy would come closer to a real run. */
  readonly isPoor: boolean;
}

/** The session's way to try a command on a view of the project, and to take over what it did there. */
export class RehearsalRunner {
  readonly #parts: RehearsalRunnerParts;
  readonly #folder: string;
  #rehearsed: Rehearsed | null = null;
  #running: { readonly stop: AbortController; readonly settled: Promise<void> } | null = null;
  #applying: Promise<unknown> = Promise.resolve();

  constructor(parts: RehearsalRunnerParts) {
    this.#parts = parts;
    this.#folder = join(parts.state, 'rehearsals');
  }

  /** Runs a command on a view. Throws `AishError` where that cannot be done here. */
  async rehearse(asked: Asked, signal: AbortSignal): Promise<RehearsalReport> {
    await this.drop();
    const stop = new AbortController();
    const running = this.#rehearse(asked, AbortSignal.any([signal, stop.signal]));
    this.#running = { stop, settled: running.then(ignore, ignore) };
    return running;
  }

  async #rehearse({ number, ...asked }: Asked, signal: AbortSignal): Promise<RehearsalReport> {
    const missing = await this.#parts.sandbox.whyMissing();
    if (missing !== null) throw impossible(missing, asked.driver);
    const request = { ...asked, ground: await this.#parts.gate.ground() };
    const overlay = await this.#run('overlay', request, signal);
    const isEnough = typeof overlay !== 'string' && !overlay.isPoor;
    const copy = isEnough || signal.aborted ? null : await this.#run('copy', request, signal);
    const best = typeof copy === 'object' && copy !== null ? copy : overlay;
    if (best !== overlay && typeof overlay !== 'string') await overlay.view.close();
    if (typeof best === 'string')
      throw impossible([best, ...(typeof copy === 'string' ? [copy] : [])].join('; '), asked.driver);
    if (signal.aborted) await best.view.close();
    else this.#rehearsed = { number, view: best.view, groups: best.groups };
    return best.report;
  }

  /** When a rehearsal that can be applied began, in milliseconds since the epoch; null for any other. */
  begunAt(number: number): number | null {
    return this.#rehearsed?.number === number ? this.#rehearsed.view.begunAt : null;
  }

  /** Applies what was rehearsed: all of it, or the items of these numbers. The signal ends it as long as nothing has been applied. */
  async apply(number: number, items: readonly number[] | null, signal: AbortSignal): Promise<AppliedReport> {
    const rehearsed = this.#rehearsed;
    if (rehearsed === null || rehearsed.number !== number)
      throw new AishError('rehearsal.gone', 'the rehearsal is gone', { hint: 'rehearse it again' });
    const applying = applyItems(rehearsed, items, signal);
    this.#applying = applying.catch(() => {});
    return applying;
  }

  /** Ends a rehearsal that runs and takes its view away; settles when nothing is left of it. */
  async end(): Promise<void> {
    const running = this.#running;
    running?.stop.abort();
    await running?.settled;
    await this.drop();
  }

  /** Takes the view away, if there is one. */
  async drop(): Promise<void> {
    const rehearsed = this.#rehearsed;
    this.#rehearsed = null;
    await this.#applying;
    await rehearsed?.view.close();
  }

  /** Removes, when nobody waits for it, what processes that are gone have left. */
  sweepLater(): void {
    setTimeout(() => void this.sweep(), SWEEP_AFTER_MS).unref();
  }

  /** Removes what processes that are gone have left. */
  async sweep(): Promise<void> {
    if (!existsSync(this.#folder)) return;
    const { sweepViews } = await import('../../adapters/rehearsal/view.ts');
    await sweepViews(this.#folder);
  }

  /** What came of one way, or why it is not open here. */
  async #run(way: RehearsalWay, { ground, ...asked }: Request, signal: AbortSignal): Promise<Attempt | string> {
    const { RehearsalView } = await import('../../adapters/rehearsal/view.ts');
    const { project } = ground;
    let view: RehearsalView | null = null;
    try {
      view = await RehearsalView.lay(way, project, this.#folder, signal);
      const command = { ...asked, kind: 'mutating', ground, view: view.forSandbox } as const;
      const ran = await this.#parts.sandbox.run(command, signal);
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
    view: RehearsalView,
    { record, blocked, hidden }: Ran,
    project: string,
    signal: AbortSignal,
  ): Promise<Attempt> {
    const { describeChanges } = await import('../../adapters/rehearsal/describe.ts');
    const { listDifferences, listOutside, wantsCopy } = await import('../../core/rehearsal/differences.ts');
    const { findLost } = await import('../../adapters/rehearsal/lost.ts');
    const changes = view.changes();
    const lost = await findLost(project, changes, signal);
    const { groups, items } = describeChanges(changes, { project: view.project, view: view.written }, lost.paths);
    const isRoot = process.getuid?.() === 0;
    const movesRefs = groups.some(({ kind }) => kind === 'repository');
    const undoable = [
      ...(lost.nothing === null ? [] : [`applied, no undo takes it back: ${lost.nothing}`]),
      ...(movesRefs ? ['applied, the change of .git stays: :undo puts back files, not branches'] : []),
    ];
    const report: RehearsalReport = {
      way: view.way,
      project,
      record,
      items,
      count: groups.length,
      outside: listOutside(record.output, project),
      differences: [...listDifferences(record.output, { way: view.way, blocked, hidden, isRoot }), ...undoable],
    };
    // In an overlay no folder of the project can be renamed, and a file with other names is another file once it is written to.
    return { view, groups, report, isPoor: view.hasShared() || wantsCopy(record.output) };
  }
}

function ignore(): void {}

/** A line of the person's own has no question that could be answered. */
function impossible(why: string, driver: Driver): AishError {
  return new AishError('rehearsal.impossible', `cannot rehearse here: ${why}`, {
    hint:
      driver === 'person'
        ? 'without :rehearse before it, it runs for real'
        : 'answer y to run it for real, where an undo takes back what can be taken back',
  });
}

/** Everything is applied at once where nothing was chosen: then folders get their times as well. */
async function applyItems(
  { view, groups }: Rehearsed,
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

/** A raw path as people read it. */
function toText(path: string): string {
  return path === '' ? '.' : Buffer.from(path, 'latin1').toString('utf8');
}
