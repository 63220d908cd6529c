import type { BlastGround } from '../../core/blast/shell-state.ts';
import type { BlastRadius } from '../../protocol/blast-radius.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { atHome, stepsOf } from './call-steps.ts';
import { type Counted, Counting } from './counting.ts';
import type { Mounts } from './mounts.ts';

/** How long may be counted. */
export interface MeasureOptions {
  /** Milliseconds after which the answer comes, whatever there is by then. */
  readonly limit?: number;
  /** What is mounted, where that is known better than the system knows it. */
  readonly mounts?: Mounts;
}

/** How long may be counted in all, when one answer is followed by another. */
export interface CountOptions extends MeasureOptions {
  /** Milliseconds until the last answer. */
  readonly longest?: number;
}

const LIMIT_MS = 110;
const LONGEST_MS = 3000;

/**
 * What a line would touch on the tree as it is. Nothing of the line is run, and nothing of the tree is changed. The first answer comes in time
 * whatever happens; where it says `counting`, the one that follows is the last.
 */
export function countBlast(
  line: string,
  ground: BlastGround,
  signal: AbortSignal,
  options: CountOptions = {},
): AsyncGenerator<BlastRadius> {
  return count({ line }, ground, signal, options);
}

/** What a line would touch, as far as it can be told within the limit. */
export async function measureBlast(
  line: string,
  ground: BlastGround,
  signal: AbortSignal,
  { limit = LIMIT_MS, ...options }: MeasureOptions = {},
): Promise<BlastRadius> {
  return last(count({ line }, ground, signal, { ...options, limit, longest: limit }));
}

/** What a call that is no command line would touch, as far as its arguments tell; null for one that tells nothing. */
export async function measureCall(
  call: Pick<ToolCall, 'name' | 'arguments' | 'effect'>,
  ground: BlastGround,
  signal: AbortSignal,
  { limit = LIMIT_MS }: MeasureOptions = {},
): Promise<BlastRadius | null> {
  const steps = stepsOf(call)?.map((step) => ({ step: atHome(step, ground.home), cwd: ground.cwd, isMaybe: false }));
  if (steps === undefined) return null;
  return last(count({ plan: { steps, wanted: [] } }, ground, signal, { limit, longest: limit }));
}

async function last(answers: AsyncIterable<BlastRadius>): Promise<BlastRadius> {
  let answer: BlastRadius | null = null;
  for await (const one of answers) answer = one;
  if (answer === null) throw new Error('a counting without an answer');
  return answer;
}

async function* count(
  counted: Counted,
  ground: BlastGround,
  signal: AbortSignal,
  { limit = LIMIT_MS, longest = LONGEST_MS, mounts }: CountOptions,
): AsyncGenerator<BlastRadius> {
  const startedAt = performance.now();
  const left = (milliseconds: number): number => Math.max(0, milliseconds - (performance.now() - startedAt));
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const counting = new Counting(counted, ground, { limit: longest, signal: controller.signal, mounts });
    if (signal.aborted) stop();
    const done = counting.run().then(() => true);
    // A failure after the last answer is nobody's any more.
    done.catch(() => {});
    const isDone = await inTime(done, left(limit));
    yield counting.told({ goesOn: !isDone && longest > limit });
    if (isDone || longest <= limit) return;
    await inTime(done, left(longest));
    yield counting.told({ goesOn: false });
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Whether something ends within so many milliseconds. */
async function inTime(done: Promise<boolean>, milliseconds: number): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => over.resolve(false), milliseconds);
  try {
    return await Promise.race([done, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
