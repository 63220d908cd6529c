import { Worker } from 'node:worker_threads';
import { TAKES_LONGER } from '../../core/blast/effect-words.ts';
import type { BlastGround } from '../../core/blast/shell-state.ts';
import { type BlastRadius, NO_BLAST } from '../../protocol/blast-radius.ts';
import { AishError } from '../../protocol/error.ts';
import type { Counted } from './counting.ts';

/** What a thread is asked to count. */
export interface CountRequest {
  readonly counted: Counted;
  readonly ground: BlastGround;
  /** Milliseconds after which it tells what there is by then, and ends. */
  readonly longest: number;
}

/** What a thread tells: how far it is, or why it cannot count. */
export type CountMessage = { readonly blast: BlastRadius; readonly isLast: boolean } | { readonly failure: string };

/** How long may be counted. */
export interface ApartOptions {
  /** Milliseconds until the first answer, whatever there is by then. */
  readonly limit: number;
  /** Milliseconds until the last answer. */
  readonly longest: number;
  /** A thread that was begun before. */
  readonly thread?: CountThread | undefined;
}

const SLOW = `what it touches: ${TAKES_LONGER}`;
const SILENT = 'what else it touches: counting it comes to no end';
/** A thread that is no more than slow tells its last within this time after the end. */
const GRACE_MS = 400;
/** One that was told to stop, and does not, is ended. */
const PATIENCE_MS = 1000;

/**
 * Counts in a thread of its own what `prepare` comes to. A look at a lost disk may never come back: it keeps the thread, and nobody else.
 * The first answer comes at its time, whatever the disk, git or the preparation do; where it says `counting`, another one follows.
 */
export async function* countApart(
  prepare: () => Promise<Pick<CountRequest, 'counted' | 'ground'>>,
  signal: AbortSignal,
  { limit, longest, thread = new CountThread() }: ApartOptions,
): AsyncGenerator<BlastRadius> {
  const startedAt = performance.now();
  const left = (milliseconds: number): number => Math.max(0, milliseconds - (performance.now() - startedAt));
  const stop = (): void => thread.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) return;
    const counted = prepare().then((request) => thread.count({ ...request, longest: left(longest) }));
    // A failure after the last answer is nobody's any more.
    counted.catch(() => {});
    if (limit < longest) {
      const isDone = await inTime(counted, left(limit));
      if (signal.aborted) return;
      yield thread.told({ goesOn: !isDone });
      if (isDone) return;
    }
    await inTime(counted, left(longest) + GRACE_MS);
    if (!signal.aborted) yield thread.told({ goesOn: false });
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** A thread that counts once. It is under way while it is still being found out what is to be counted. */
export class CountThread {
  readonly #worker: Worker;
  readonly #over = Promise.withResolvers<void>();
  #blast: BlastRadius | null = null;
  #isLast = false;
  #isGone = false;

  /** Begins the thread; `entry` is what it runs. */
  constructor(entry: string | URL = entryOfThread()) {
    this.#worker = new Worker(entry);
    // Whoever waits for its answer has a timer for that.
    this.#worker.unref();
    this.#worker.on('message', (message: CountMessage) => this.#take(message));
    this.#worker.on('error', (cause: unknown) => this.#fail(cause));
    this.#worker.on('exit', () => {
      this.#isGone = true;
      this.#fail('its thread has ended');
    });
    // It may be stopped before anybody waits for it.
    this.#over.promise.catch(() => {});
  }

  /** Settles when all is counted, or when the thread was stopped. */
  count({ counted, ground, longest }: CountRequest): Promise<void> {
    const { ours, ...place } = ground;
    // A thread takes no functions.
    const request = ours === undefined ? place : { ...place, ours: { ...ours, onPath: undefined } };
    this.#worker.postMessage({ counted, ground: request, longest });
    return this.#over.promise;
  }

  /** What it comes to, as far as the thread has told. */
  told({ goesOn }: { readonly goesOn: boolean }): BlastRadius {
    const { counting: _, ...blast } = this.#blast ?? { ...NO_BLAST, unknown: [SLOW] };
    if (goesOn) return { ...blast, counting: true };
    return this.#isLast ? blast : { ...blast, unknown: [...blast.unknown, SILENT] };
  }

  /** Ends the thread. One that waits for a disk ends when that answers, and keeps nobody until then. */
  stop(): void {
    this.#over.resolve();
    if (this.#isLast || this.#isGone) return;
    this.#worker.postMessage(null);
    setTimeout(() => this.#isGone || void this.#worker.terminate(), PATIENCE_MS).unref();
  }

  #take(message: CountMessage): void {
    if ('failure' in message) {
      this.#fail(message.failure);
      return;
    }
    this.#blast = message.blast;
    this.#isLast = message.isLast;
    if (message.isLast) this.#over.resolve();
  }

  #fail(cause: unknown): void {
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#over.reject(new AishError('blast.failed', why, { cause }));
  }
}

/** Where a program that is compiled into one file keeps what it was made of. */
const COMPILED = '/$bunfs/';

/** Compiled, the program finds its threads by where they were in its source; never below the directory it is in. */
function entryOfThread(): string | URL {
  const isCompiled = import.meta.dir.startsWith(COMPILED);
  return isCompiled
    ? `${COMPILED}root/adapters/blast/counting-thread.js`
    : new URL('./counting-thread.ts', import.meta.url);
}

/** Whether something ends within so many milliseconds. */
async function inTime(done: Promise<void>, milliseconds: number): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => over.resolve(false), milliseconds);
  try {
    return await Promise.race([done.then(() => true), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
