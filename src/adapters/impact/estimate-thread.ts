import { ptr } from 'bun:ffi';
import { Worker } from 'node:worker_threads';
import type { Classification } from '../../core/commands/verdict.ts';
import type { ImpactContext } from '../../core/impact/shell-state.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import { once } from '../../core/text/memoize.ts';
import { type ChangeReport, NO_CHANGES } from '../../protocol/change-report.ts';
import { AishError } from '../../protocol/error.ts';
import { startedIn } from '../system/own-program.ts';
import { withTimeout } from '../system/patience.ts';
import { openLibC } from '../system/system-calls.ts';
import type { Estimated } from './estimate.ts';
import { UNKNOWN } from './messages.ts';

/** A request for an estimate. */
export interface EstimateRequest {
  readonly estimated: Estimated;
  readonly context: ImpactContext;
  /** Milliseconds after which the thread sends its last report and ends. */
  readonly longest: number;
}

/** A line for a thread to classify. */
export interface ClassifyRequest {
  readonly id: number;
  readonly line: string;
  readonly context: LineContext;
}

/** A message of a thread: it is ready, it classified a line, it reports what it has counted by now, or it failed. */
export type EstimateMessage =
  | { readonly isReady: true }
  | { readonly classified: number; readonly classification: Classification | null }
  | { readonly report: ChangeReport; readonly isLast: boolean }
  | { readonly failure: string };

/** How long an estimate may take. */
export interface ThreadOptions {
  /** Milliseconds until the first report, whatever is counted by then. */
  readonly limit: number;
  /** Milliseconds until the last report. */
  readonly longest: number;
  /** A thread that was started before. */
  readonly thread?: EstimateThread | undefined;
}

/** A thread that is only slow sends its last report within this time after the end. */
const GRACE_MS = 400;
/** A thread that is not ready by then never will be. */
const START_MS = 10_000;
/** The time for classifying a line, in milliseconds; a usual line takes less than one. */
const CLASSIFY_MS = 2000;
/** A thread that does not stop by itself within this time is terminated. */
const PATIENCE_MS = 1000;

/**
 * Estimates in a worker thread what the line or the plan of `prepare` would change. A disk that does not respond blocks the thread alone.
 * The first report comes in time, whatever the disk, git or the preparation do; if it says `counting`, another one follows.
 */
export async function* estimateInThread(
  prepare: () => Promise<Pick<EstimateRequest, 'estimated' | 'context'>>,
  signal: AbortSignal,
  { limit, longest, thread = new EstimateThread() }: ThreadOptions,
): AsyncGenerator<ChangeReport> {
  const startedAt = performance.now();
  const left = (milliseconds: number): number => Math.max(0, milliseconds - (performance.now() - startedAt));
  const stop = (): void => thread.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) return;
    const estimated = prepare().then((request) => thread.estimate({ ...request, longest: left(longest) }));
    // Nobody waits for a failure after the last report.
    estimated.catch(() => {});
    if (limit < longest) {
      const isDone = await inTime(estimated, left(limit));
      if (signal.aborted) return;
      yield thread.report({ goesOn: !isDone });
      if (isDone) return;
    }
    await inTime(estimated, left(longest) + GRACE_MS);
    if (!signal.aborted) yield thread.report({ goesOn: false });
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** A worker thread for one estimate. It starts while the request is still being prepared, and classifies lines before. */
export class EstimateThread {
  readonly #worker: Worker;
  readonly #over = Promise.withResolvers<void>();
  readonly #limit: number;
  readonly #ready = Promise.withResolvers<void>();
  readonly #classifying = new Map<number, (classification: Classification | null) => void>();
  #next = 0;
  #report: ChangeReport | null = null;
  #isLast = false;
  #isGone = false;

  /** Begins the thread; `entry` is what it runs, and `limit` the milliseconds that a line may take to be classified. */
  constructor(entry: string | URL = entryOfThread(), limit = CLASSIFY_MS) {
    this.#limit = limit;
    this.#worker = startThread(entry);
    // All who wait for it have a timer of their own.
    this.#worker.unref();
    this.#worker.on('message', (message: EstimateMessage) => this.#take(message));
    this.#worker.on('error', (cause: unknown) => this.#fail(cause));
    this.#worker.on('exit', () => {
      this.#isGone = true;
      this.#fail('its thread ended');
    });
    // It may be stopped before anybody waits for it.
    this.#over.promise.catch(() => {});
  }

  /** The classification of a line; null if it is late. The time begins when the thread has started. */
  async classify(line: string, context: LineContext): Promise<Classification | null> {
    if (!(await inTime(this.#ready.promise, START_MS))) return null;
    this.#next += 1;
    const id = this.#next;
    const answer = Promise.withResolvers<Classification | null>();
    this.#classifying.set(id, answer.resolve);
    this.#worker.postMessage({ id, line, context });
    const isIn = await inTime(answer.promise, this.#limit);
    this.#classifying.delete(id);
    return isIn ? await answer.promise : null;
  }

  /** Settles when all is counted, or when the thread is stopped. */
  estimate({ estimated, context, longest }: EstimateRequest): Promise<void> {
    this.#worker.postMessage({ estimated, context, longest });
    return this.#over.promise;
  }

  /** The last report that the thread has sent. */
  report({ goesOn }: { readonly goesOn: boolean }): ChangeReport {
    const { counting: _, ...report } = this.#report ?? NO_CHANGES;
    if (goesOn) return { ...report, counting: true };
    return this.#isLast ? report : { ...report, unknown: [...report.unknown, UNKNOWN.notEnded()] };
  }

  /** Ends the thread. A thread that waits for a disk ends when the disk responds, and blocks nothing until then. */
  stop(): void {
    this.#over.resolve();
    if (this.#isLast || this.#isGone) return;
    this.#worker.postMessage(null);
    setTimeout(() => this.#isGone || void this.#worker.terminate(), PATIENCE_MS).unref();
  }

  #take(message: EstimateMessage): void {
    if ('isReady' in message) {
      this.#ready.resolve();
      return;
    }
    if ('classified' in message) {
      this.#classifying.get(message.classified)?.(message.classification);
      return;
    }
    if ('failure' in message) {
      this.#fail(message.failure);
      return;
    }
    this.#report = message.report;
    this.#isLast = message.isLast;
    if (message.isLast) this.#over.resolve();
  }

  #fail(cause: unknown): void {
    this.#ready.resolve();
    for (const answer of this.#classifying.values()) answer(null);
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#over.reject(new AishError('impact.failed', why, { cause }));
  }
}

/** The folder in which a compiled program keeps its sources. */
const COMPILED = '/$bunfs/';

/** Compiled, the program finds its threads by where they were in its source; never below the directory it is in. */
function entryOfThread(): string | URL {
  const isCompiled = import.meta.dir.startsWith(COMPILED);
  return isCompiled
    ? `${COMPILED}root/adapters/impact/estimate-worker.js`
    : new URL('./estimate-worker.ts', import.meta.url);
}

/** Whether something ends within so many milliseconds. */
async function inTime(done: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const isDone = done.then(() => true);
  return (await withTimeout(isDone, milliseconds)) ?? false;
}

/**
 * Starts a thread that opens no file of the directory the program is in. Bun opens `package.json` and `tsconfig.json` of the directory that
 * it takes for the current one when a thread begins: it takes the checkout for it until then, while the system's own idea stays as it is. A
 * thread has begun when it sends its first message. Meanwhile `resolve` of a relative path would go by the checkout.
 */
function startThread(entry: string | URL): Worker {
  const checkout = startedIn();
  return checkout === null ? new Worker(entry) : directory().startIn(checkout, entry);
}

/** The current directory belongs to the process, so there is one. */
const directory: () => CurrentDirectory = once(() => new CurrentDirectory());

class CurrentDirectory {
  readonly #starting = new Set<Worker>();

  startIn(checkout: string, entry: string | URL): Worker {
    pretend(checkout);
    const worker = new Worker(entry);
    this.#starting.add(worker);
    const begun = (): void => {
      if (this.#starting.delete(worker) && this.#starting.size === 0) comeBack();
    };
    // Its event `online` comes before it has begun.
    for (const event of ['message', 'error', 'exit']) worker.once(event, begun);
    return worker;
  }
}

/** Bun takes `folder` for the current directory, and the system does not. */
function pretend(folder: string): void {
  try {
    const here = Buffer.from(`${process.cwd()}\0`);
    const libc = openLibC({ chdir: { args: ['ptr'], returns: 'i32' } });
    if (libc === null) return;
    process.chdir(folder);
    libc.chdir(ptr(here));
  } catch {
    // The directory is gone, and so are its files.
  }
}

/** Bun takes the directory that the system has. */
function comeBack(): void {
  try {
    process.chdir(process.cwd());
  } catch {
    // It is gone: relative paths lead nowhere in either.
  }
}
