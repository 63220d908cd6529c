import type { Recorded } from './event.ts';
import type { Op } from './op.ts';

/** Columns and rows of a terminal. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The one contract every host is written against; in process, or over HTTP. */
export interface SessionClient {
  readonly sessionId: string;
  /** Hands in a request. A refusal comes as the event `op.rejected`. */
  submit(op: Op): Promise<void>;
  /** Everything after `seq` (0 for all), first what is stored, then live, until the iterator is returned or the session closes. */
  events(seq: number): AsyncIterable<Recorded>;
  close(): Promise<void>;
}
