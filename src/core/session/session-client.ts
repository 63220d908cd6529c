import type { ErrorFact } from '../../protocol/error.ts';
import type { Recorded } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { Answers, QueryOf, QueryType, TerminalSize } from '../../protocol/query.ts';
import type { SessionState } from './state.ts';

/** What became of a request. */
export type Outcome =
  | { readonly type: 'recorded' }
  /** It waits, with the lines of all clients, for what runs to end. Events report what becomes of it then. */
  | { readonly type: 'waits' }
  /** The event `op.rejected` reports the same to all who follow. */
  | { readonly type: 'refused'; readonly error: ErrorFact }
  /** Its own client called it off before it began. */
  | { readonly type: 'dropped' };

/** How a request is handed in. */
export interface SubmitOptions {
  /** A line waits until what runs has ended, instead of being refused. */
  readonly inTurn?: boolean;
}

/** What a client hears of the session's terminal. No function may throw. */
export interface TerminalListener {
  /** Comes first: the number of the last fact, and of the fact with which the running command began. */
  joined?(at: { readonly seq: number; readonly running: number | null }): void;
  /** From here on, output is of the command whose fact has this number. Events come another way, and may be earlier or later. */
  began?(seq: number): void;
  /** All output of that command has come. */
  ended?(seq: number): void;
  /** What commands print, known secrets taken out. The bytes are valid during the call only. */
  output(bytes: Uint8Array): void;
  /** Which client's keys reach the program now; null for the owner. */
  keyboard(holder: string | null, isOurs: boolean): void;
  /** The owner did not lend the keyboard. */
  refused(): void;
  /** Who came, who left, and the like, in one line. */
  notice?(text: string): void;
  /** What this client is called from now on: unlike any other. */
  named?(name: string): void;
  /** The connection is gone, no matter who ended it. */
  closed(): void;
}

/** The terminal of a session as one client has it: bytes both ways, and the keyboard while the owner lends it. */
export interface TerminalStream {
  /** Settles when the session has let this client in, or will not. */
  opened(): Promise<void>;
  /** Keys for the program in the foreground; dropped where this client does not have the keyboard. */
  write(bytes: Uint8Array): void;
  resize(size: TerminalSize): void;
  /** Asks the owner for the keyboard. */
  ask(): void;
  /** Gives the keyboard back, or asks for it no more. */
  giveBack(): void;
  /** Leaves the terminal. Lines of this client that wait are called off. */
  close(): void;
}

/**
 * The one contract every host is written against: a session in this process, or one that another process owns.
 *
 * Events come in one order for all clients. A reader misses no durable event, however slowly it reads and however often its
 * connection breaks.
 */
export interface SessionClient {
  readonly sessionId: string;
  /** What this client is called among several; null for the owner's own. */
  readonly name: string | null;
  /** The state as far as events have arrived: it holds every event that a reader of this client has been handed. */
  readonly state: SessionState;
  /** Number of the last durable event that the state holds. */
  readonly seq: number;
  /** Hands in a request. Throws only where the session cannot be reached. */
  submit(op: Op, options?: SubmitOptions): Promise<Outcome>;
  /** Everything after `seq` (0 for all), first what is stored, then live, until the iterator is returned or the session closes. */
  events(seq: number): AsyncIterableIterator<Recorded>;
  /** Asks something that changes nothing. Throws what the session answers instead. */
  query<T extends QueryType>(query: QueryOf<T>): Promise<Answers[T]>;
  /** Joins the session's terminal. */
  terminal(size: TerminalSize, listener: TerminalListener): TerminalStream;
  /** Ends the streams of this client; the session goes on. */
  detach(): Promise<void>;
  /** Ends the session. Its log stays. */
  close(): Promise<void>;
}

/** Settles when the state is as wanted, or the session has closed. */
export async function untilState(client: SessionClient, isWanted: (state: SessionState) => boolean): Promise<void> {
  if (isWanted(client.state)) return;
  for await (const _ of client.events(client.seq)) if (isWanted(client.state)) return;
}
