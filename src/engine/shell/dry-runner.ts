import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AppliedReport, DryRunReport } from '../../protocol/change-report.ts';
import { lazy } from './lazy.ts';
import { dryRunGone } from './messages.ts';
import type { Attempt, Checked, DryRunDeps, DryRunRequest, RunFences } from './run-dry.ts';

const SWEEP_AFTER_MS = 1000;

interface DryRunResult extends Pick<Attempt, 'view' | 'groups'> {
  readonly number: number;
}

interface NumberedRequest extends DryRunRequest {
  readonly number: number;
}

/** Tries a command on an overlay of the project, and applies its changes. */
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

  /** Runs a command on an overlay. Throws `AishError` if that is impossible here. */
  async dryRun(asked: NumberedRequest, signal: AbortSignal): Promise<DryRunReport> {
    await this.drop();
    const stop = new AbortController();
    const running = this.#dryRun(asked, AbortSignal.any([signal, stop.signal]));
    this.#running = { stop, settled: running.then(ignore, ignore) };
    return running;
  }

  async #dryRun({ number, ...request }: NumberedRequest, signal: AbortSignal): Promise<DryRunReport> {
    const { runDry } = await loadRun();
    const { report, view, groups } = await runDry(request, this.#deps, this.#folder, signal);
    if (signal.aborted) await view.close();
    else this.#dryRunResult = { number, view, groups };
    return report;
  }

  /** Runs a command on an overlay, which is deleted afterwards. */
  async check(request: DryRunRequest, signal: AbortSignal): Promise<Checked> {
    return (await loadRun()).runCheck(request, this.#deps, this.#folder, signal);
  }

  /** Runs a command on an overlay, and applies its changes if no fence is in the way of one. */
  async runFenced(request: DryRunRequest, fences: RunFences, signal: AbortSignal) {
    return (await loadRun()).runFenced(request, fences, { deps: this.#deps, folder: this.#folder }, signal);
  }

  /** The start of a dry run that can be applied, in ms since the epoch; null for any other. */
  begunAt(number: number): number | null {
    return this.#dryRunResult?.number === number ? this.#dryRunResult.view.begunAt : null;
  }

  /** Applies a dry run, whole or the items with these numbers. The signal stops it before the first change. */
  async apply(number: number, items: readonly number[] | null, signal: AbortSignal): Promise<AppliedReport> {
    const dryRunResult = this.#dryRunResult;
    if (dryRunResult === null || dryRunResult.number !== number) throw dryRunGone();
    const applying = loadRun().then(({ applyItems }) => applyItems(dryRunResult, items, signal));
    this.#applying = applying.catch(() => {});
    return applying;
  }

  /** Stops the running dry run and removes its overlay. */
  async end(): Promise<void> {
    const running = this.#running;
    running?.stop.abort();
    await running?.settled;
    await this.drop();
  }

  /** Removes the overlay, if there is one. */
  async drop(): Promise<void> {
    const dryRunResult = this.#dryRunResult;
    this.#dryRunResult = null;
    await this.#applying;
    await dryRunResult?.view.close();
  }

  /** Removes the overlays of dead processes when aish is idle. */
  sweepLater(): void {
    setTimeout(() => void this.sweep(), SWEEP_AFTER_MS).unref();
  }

  /** Removes the overlays of dead processes. */
  async sweep(): Promise<void> {
    if (!existsSync(this.#folder)) return;
    const { sweepViews } = await lazy.overlay();
    await sweepViews(this.#folder);
  }
}

function loadRun(): Promise<typeof import('./run-dry.ts')> {
  return import('./run-dry.ts');
}

function ignore(): void {}
