import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AppliedReport, DryRunReport } from '../../protocol/change-report.ts';
import { AishError } from '../../protocol/error.ts';
import { lazy } from './lazy.ts';
import type { Attempt, DryRunDeps, DryRunRequest } from './run-dry.ts';

/** Behind the first prompt. */
const SWEEP_AFTER_MS = 1000;

interface DryRunResult extends Pick<Attempt, 'view' | 'groups'> {
  readonly number: number;
}

interface Asked extends DryRunRequest {
  readonly number: number;
}

/** The session's way to try a command on a view of the project, and to take over what it did there. */
export class DryRunner {
  readonly #deps: DryRunDeps;
  readonly #folder: string;
  #dryRunResult: DryRunResult | null = null;
  #running: { readonly stop: AbortController; readonly settled: Promise<void> } | null = null;
  #applying: Promise<unknown> = Promise.resolve();

  constructor(deps: DryRunDeps) {
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

  async #dryRun({ number, ...request }: Asked, signal: AbortSignal): Promise<DryRunReport> {
    const { runDry } = await loadRun();
    const { report, view, groups } = await runDry(request, this.#deps, this.#folder, signal);
    if (signal.aborted) await view.close();
    else this.#dryRunResult = { number, view, groups };
    return report;
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
    const applying = loadRun().then(({ applyItems }) => applyItems(dryRunResult, items, signal));
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
}

/** What a dry run takes loads with the first of them. */
function loadRun(): Promise<typeof import('./run-dry.ts')> {
  return import('./run-dry.ts');
}

function ignore(): void {}
