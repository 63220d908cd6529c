import type { LiveSession } from './engine.ts';
import type { AnswerShow } from './show.ts';
import type { TerminalOwner, TerminalShare } from './terminal-share.ts';

/** What the door of a session is opened with. */
export interface SessionServerOptions {
  readonly live: LiveSession;
  /** Of the socket, in a folder that only the user can enter. */
  readonly path: string;
  /** Who sits at the terminal. */
  readonly owner: TerminalOwner;
  /** Names in `[models]`. */
  readonly models: readonly string[];
  /** Answers clients that ask what a meta-command prints; absent where nothing can. */
  readonly show?: AnswerShow;
  /** Tells the owner of a fault of ours. */
  readonly onFault: (thrown: unknown) => void;
  /** How often a quiet stream carries a comment. */
  readonly beatMs?: number;
  /** So many events may wait for one reader; more than that give it up, and it comes back. */
  readonly mostWaiting?: number;
}

/** Where other terminals come into a session that a user has open. */
export interface SessionServer {
  readonly path: string;
  readonly share: TerminalShare;
  /** Lets nobody in any more; who is in stays until the session has ended. */
  withdraw(): void;
  /** Ends all connections; the session is closed by who opened it, before, so that those who watch are told. */
  close(): Promise<void>;
}

/** Opens the door of a session; given by who knows all hosts. */
export type OpenSessionServer = (options: SessionServerOptions) => Promise<SessionServer>;
