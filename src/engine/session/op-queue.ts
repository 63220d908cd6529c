import type { ErrorFact } from '../../protocol/error.ts';
import type { Op } from '../../protocol/op.ts';
import { DROPPED, queueFull } from './messages.ts';

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
