import type { LiveSession } from './engine.ts';
import type { AnswerLook } from './look.ts';
import type { TerminalOwner, TerminalShare } from './terminal-share.ts';

/** What the door of a session is opened with. */
export interface SessionDoorOptions {
  readonly live: LiveSession;
  /** Of the socket, in a folder that only the person can enter. */
  readonly path: string;
  /** Who sits at the terminal. */
  readonly owner: TerminalOwner;
  /** Names in `[models]`. */
  readonly models: readonly string[];
  /** Answers seats that look at the session; absent where nobody can. */
  readonly look?: AnswerLook;
  /** Tells the owner of a fault of ours. */
  readonly onFault: (thrown: unknown) => void;
}

/** Where other terminals come into a session that a person has open. */
export interface SessionDoor {
  readonly path: string;
  readonly share: TerminalShare;
  /** Lets nobody in any more; who is in stays until the session has ended. */
  withdraw(): void;
  /** Ends all connections; the session is closed by who opened it, before, so that those who watch are told. */
  close(): Promise<void>;
}

/** Opens the door of a session; given by who knows all hosts. */
export type OpenDoor = (options: SessionDoorOptions) => Promise<SessionDoor>;
