import { isSaidOnce } from '../../protocol/durable-event.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import type { Recorded } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import { DROPPED, queueFull } from './messages.ts';

/** Events on their way to one reader. It takes part from its making on, so nothing is missed before the first read. */
export class EventQueue implements AsyncIterableIterator<Recorded> {
  readonly #waiting: (Recorded | null)[];
  readonly #onEnd: () => void;
  #wake: (() => void) | null = null;
  #ended = false;
  #overflowed = false;
  readonly #most: number;

  /** `most` is how many events may wait for the reader beyond those stored before it came. */
  constructor(stored: readonly Recorded[], onEnd: () => void, most = Number.POSITIVE_INFINITY) {
    this.#waiting = [...stored];
    this.#onEnd = onEnd;
    this.#most = stored.length + most;
  }

  /** True when the reader was given up because too much waited for it. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** Passes an event on; null ends the stream after the waiting events. */
  push(recorded: Recorded | null): void {
    if (this.#waiting.length >= this.#most) this.#giveUp();
    else this.#waiting.push(recorded);
    this.#wake?.();
  }

  #giveUp(): void {
    this.#overflowed = true;
    this.#waiting.splice(0, this.#waiting.length, null);
    this.#onEnd();
  }

  async next(): Promise<IteratorResult<Recorded>> {
    while (!this.#ended) {
      const recorded = this.#waiting.shift();
      if (recorded === null) break;
      if (recorded !== undefined) return { done: false, value: recorded };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<Recorded>> {
    this.#ended = true;
    this.#onEnd();
    this.#wake?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** So many are kept. */
const MOST_SAID = 500;

/**
 * Refusals and notices, which no later event repeats, for readers whose connection breaks: each has its number behind the durable event
 * before it.
 */
export class SaidOnce {
  #kept: Recorded[] = [];

  /** The event as it is announced. */
  take(recorded: Recorded): Recorded {
    if (!isSaidOnce(recorded.event)) return recorded;
    const last = this.#kept.at(-1);
    const numbered = { ...recorded, nth: (last?.seq === recorded.seq ? (last.nth ?? 0) : 0) + 1 };
    this.#kept = [...this.#kept.slice(1 - MOST_SAID), numbered];
    return numbered;
  }

  /** Durable events after `seq`, with the transient ones among them, behind number `nth` after `seq`. */
  among(stored: readonly Recorded[], seq: number, nth: number): readonly Recorded[] {
    const missed = this.#kept.filter((said) => said.seq > seq || (said.seq === seq && (said.nth ?? 0) > nth));
    if (missed.length === 0) return stored;
    return [...stored, ...missed].sort((one, other) => one.seq - other.seq || (one.nth ?? 0) - (other.nth ?? 0));
  }
}

/** More lines than these wait for no session. */
const MOST_WAITING = 200;

interface QueuedSession {
  take(op: Op, client?: string): ErrorFact | null;
  /** Tells the client of a request that nothing became of it. */
  refuse(op: Op, error: ErrorFact, client?: string): ErrorFact;
  atRest(): Promise<void>;
  readonly isAtRest: boolean;
}

/** The client of a request, and the action for its turn. */
interface QueuedOptions {
  /** The client; absent for the owner. */
  readonly client?: string | undefined;
  /** Called in the moment before the request is handed in. */
  readonly onTurn?: () => void;
}

/** The outcome of a request that waited: the reason of its refusal, null if it was taken, or `dropped` if its client cancelled it. */
type QueuedOutcome = ErrorFact | null | 'dropped';

interface Waiting extends QueuedOptions {
  readonly op: Op;
  readonly settle: (outcome: QueuedOutcome) => void;
}

/**
 * The one queue of a session, for lines of all its clients: each begins when those before it have ended, in the order in which they were
 * entered, wherever that was. So there is one history.
 */
export class OpQueue {
  readonly #session: QueuedSession;
  #waiting: Waiting[] = [];
  #isPumping = false;

  constructor(session: QueuedSession) {
    this.#session = session;
  }

  /** How many requests wait. */
  get size(): number {
    return this.#waiting.length;
  }

  /** Submits a request when it is its turn: now, if nothing runs and no request waits. Settles then, not when it has ended. */
  submit(op: Op, options: QueuedOptions = {}): Promise<QueuedOutcome> {
    if (this.#waiting.length === 0 && this.#session.isAtRest) return Promise.resolve(this.#handIn({ op, ...options }));
    if (this.#waiting.length >= MOST_WAITING)
      return Promise.resolve(this.#session.refuse(op, queueFull(MOST_WAITING), options.client));
    return new Promise((settle) => {
      this.#waiting.push({ op, ...options, settle });
      if (!this.#isPumping) void this.#pump();
    });
  }

  /** Calls off what waits: of all clients, or of one, where `undefined` is the owner's. How many that were. */
  drop(whose: 'all' | { readonly client: string | undefined }): number {
    const dropped = this.#waiting.filter(({ client }) => whose === 'all' || client === whose.client);
    this.#waiting = this.#waiting.filter((one) => !dropped.includes(one));
    for (const { op, client, settle } of dropped) {
      if (client !== undefined) this.#session.refuse(op, DROPPED, client);
      settle('dropped');
    }
    return dropped.length;
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    while (this.#waiting.length > 0) {
      await this.#session.atRest();
      const first = this.#waiting[0];
      // Another client may have begun something in the same moment.
      if (first === undefined || !this.#session.isAtRest) continue;
      this.#waiting.shift();
      first.settle(this.#handIn(first));
    }
    this.#isPumping = false;
  }

  #handIn({ op, client, onTurn }: Pick<Waiting, 'op' | 'client' | 'onTurn'>): ErrorFact | null {
    onTurn?.();
    return this.#session.take(op, client);
  }
}
