import type { ErrorFact } from '../../protocol/error.ts';
import type { Recorded } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { Answers, QueryOf, QueryType, TerminalSize } from '../../protocol/query.ts';
import type { SessionState } from './state.ts';

/** The outcome of a request. */
export type Outcome =
  | { readonly type: 'recorded' }
  /** It is queued with the lines of all clients until the running work ends. Events report its result. */
  | { readonly type: 'waits' }
  /** The event `op.rejected` reports the same to all clients. */
  | { readonly type: 'refused'; readonly error: ErrorFact }
  /** Its own client cancelled it before it began. */
  | { readonly type: 'dropped' };

/** Options of a request. */
export interface SubmitOptions {
  /** The line waits until the running work has ended, instead of being refused. */
  readonly inTurn?: boolean;
}

/** Callbacks for the session's terminal. They must not throw. */
export interface TerminalListener {
  /** Called first: the number of the last event, and of the event that began the running command. */
  joined?(at: { readonly seq: number; readonly running: number | null }): void;
  /** From now on, output belongs to the command whose event has this number. Events arrive separately, and may be earlier or later. */
  began?(seq: number): void;
  /** All output of that command has arrived. */
  ended?(seq: number): void;
  /** The output of commands, with known secrets redacted. The bytes are valid during the call only. */
  output(bytes: Uint8Array): void;
  /** The client whose keys now reach the program; null for the owner. */
  keyboard(holder: string | null, isOurs: boolean): void;
  /** The owner refused to lend the keyboard. */
  refused(): void;
  /** A notice in one line, such as the arrival of a client. */
  notice?(text: string): void;
  /** The unique name of this client from now on. */
  named?(name: string): void;
  /** The connection is closed, by either side. */
  closed(): void;
}

/** The terminal of a session for one client: bytes in both directions, and the keyboard while the owner lends it. */
export interface TerminalStream {
  /** Settles when the session has accepted or refused this client. */
  opened(): Promise<void>;
  /** Keys for the foreground program; dropped if this client does not have the keyboard. */
  write(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
  /** Requests the keyboard from the owner. */
  ask(): void;
  /** Gives the keyboard back, or withdraws the request. */
  giveBack(): void;
  /** Leaves the terminal. Queued lines of this client are cancelled. */
  close(): void;
}

/**
 * The contract between every host and a session, in this process or in another one.
 *
 * Events have one order for all clients. A reader misses no durable event, no matter how slowly it reads and how often its connection
 * breaks.
 */
export interface SessionClient {
  readonly sessionId: string;
  /** The name of this client among several; null for the owner's own client. */
  readonly name: string | null;
  /** The state after all events that readers of this client have received. */
  readonly state: SessionState;
  /** Number of the last durable event in the state. */
  readonly seq: number;
  /** Submits a request. Throws only if the session is unreachable. */
  submit(op: Op, options?: SubmitOptions): Promise<Outcome>;
  /** All events after `seq` (0 for all), first stored, then live, until the iterator is returned or the session closes. */
  events(seq: number): AsyncIterableIterator<Recorded>;
  /** Sends a query. Throws the error of the session. */
  query<T extends QueryType>(query: QueryOf<T>): Promise<Answers[T]>;
  /** Joins the session's terminal. */
  terminal(size: TerminalSize, listener: TerminalListener): TerminalStream;
  /** Ends the streams of this client; the session continues. */
  detach(): Promise<void>;
  /** Ends the session. Its log stays. */
  close(): Promise<void>;
}

/** Settles when the state meets the condition, or the session has closed. */
export async function untilState(client: SessionClient, isWanted: (state: SessionState) => boolean): Promise<void> {
  if (isWanted(client.state)) return;
  for await (const _ of client.events(client.seq)) if (isWanted(client.state)) return;
}
