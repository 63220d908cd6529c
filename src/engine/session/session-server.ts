import type { LoadedConfig } from '../../adapters/config/load.ts';
import type { Environment, Paths } from '../../adapters/config/paths.ts';
import type { ShowRequest } from '../../protocol/query.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { Engine, LiveSession } from './engine.ts';
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

/** What the query `show` is answered from, besides the session: what its owner was started with. */
export interface ShowContext {
  readonly engine: Engine;
  readonly setup: {
    readonly env: Environment;
    readonly cwd: string;
    readonly paths: Paths;
    readonly loaded: LoadedConfig;
    readonly settings: Settings;
  };
}

/** Prints what a meta-command prints that only reads, known secrets taken out; throws for any other line. */
export type AnswerShow = (request: ShowRequest, live: LiveSession) => Promise<string>;

/** Makes that for a daemon; given by the entry point, which knows all hosts. */
export type OpenShow = (context: ShowContext) => AnswerShow;
