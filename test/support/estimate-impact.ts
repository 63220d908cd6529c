import { Estimate } from '../../src/adapters/impact/estimate.ts';
import type { Plan } from '../../src/core/impact/plan-line.ts';
import type { ImpactContext } from '../../src/core/impact/shell-state.ts';
import { classifyLine } from '../../src/core/policy/classify-line.ts';
import type { ChangeReport } from '../../src/protocol/change-report.ts';

/** How long it may take. */
export interface EstimateOptions {
  /** Milliseconds after which the answer comes, whatever there is by then. */
  readonly limit?: number;
  /** The mounts, if the test knows them better than the system. */
  readonly mounts?: readonly string[];
}

const LIMIT_MS = 30_000;

/**
 * Estimates the changes of a line, or of a plan that was made without one, on the tree as it is, counted here and now. Nothing of it runs,
 * and nothing of the tree changes. If a user types meanwhile, a thread counts.
 */
export async function estimateImpact(
  line: string | Plan,
  context: ImpactContext,
  signal: AbortSignal,
  { limit = LIMIT_MS, mounts }: EstimateOptions = {},
): Promise<ChangeReport> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(() => over.resolve(), limit);
  try {
    const estimated = typeof line === 'string' ? { classification: classifyLine(line, context) } : { plan: line };
    const estimate = new Estimate(estimated, context, { limit, signal: controller.signal, mounts });
    await Promise.race([estimate.run(), over.promise]);
    return estimate.report({ goesOn: false });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    stop();
  }
}
