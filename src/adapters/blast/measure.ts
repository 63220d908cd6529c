import type { Plan } from '../../core/blast/plan.ts';
import type { BlastGround } from '../../core/blast/shell-state.ts';
import type { BlastRadius } from '../../protocol/blast-radius.ts';
import { Counting } from './counting.ts';
import type { Mounts } from './mounts.ts';

/** How long may be counted. */
export interface MeasureOptions {
  /** Milliseconds after which the answer comes, whatever there is by then. */
  readonly limit?: number;
  /** What is mounted, where that is known better than the system knows it. */
  readonly mounts?: Mounts;
}

const LIMIT_MS = 3000;

/**
 * What a line, or what is planned without one, would touch on the tree as it is, counted here and now. Nothing of it is run, and nothing of the
 * tree is changed. Where somebody types meanwhile, it is counted apart.
 */
export async function measureBlast(
  line: string | Plan,
  ground: BlastGround,
  signal: AbortSignal,
  { limit = LIMIT_MS, mounts }: MeasureOptions = {},
): Promise<BlastRadius> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(() => over.resolve(), limit);
  try {
    const counted = typeof line === 'string' ? { line } : { plan: line };
    const counting = new Counting(counted, ground, { limit, signal: controller.signal, mounts });
    await Promise.race([counting.run(), over.promise]);
    return counting.told({ goesOn: false });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    stop();
  }
}
