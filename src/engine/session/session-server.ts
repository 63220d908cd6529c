import type { LoadedConfig } from '../../adapters/config/load.ts';
import type { Environment, Paths } from '../../adapters/config/paths.ts';
import type { ShowRequest } from '../../protocol/query.ts';
import type { ApproveMode, Settings } from '../../protocol/settings.ts';
import type { Engine, LiveSession } from './engine.ts';
import type { TerminalOwner, TerminalShare } from './terminal-share.ts';

/** The options of a session server. */
export interface SessionServerOptions {
  readonly live: LiveSession;
  /** The path of the socket, in a folder that only the user can enter. */
  readonly path: string;
  /** The user at the terminal; null if there is none. */
  readonly owner: TerminalOwner | null;
  /** Names in `[models]`. */
  readonly models: readonly string[];
  /** Answers clients that ask what a meta-command prints; absent where nothing can. */
  readonly show?: AnswerShow;
  /** Reports an error of aish to the owner. */
  readonly onFault: (thrown: unknown) => void;
  /** How often a quiet stream carries a comment. */
  readonly beatMs?: number;
  /** So many events may wait for one reader; more than that give it up, and it comes back. */
  readonly mostWaiting?: number;
}

/** The server through which other terminals attach to an open session. */
export interface SessionServer {
  readonly path: string;
  readonly share: TerminalShare;
  /** Accepts no more clients; attached ones stay until the session has ended. */
  withdraw(): void;
  /** Ends all connections. The caller must close the session before, so that attached clients receive the end. */
  close(): Promise<void>;
}

/** Opens the server of a session; a host that knows all hosts provides it. */
export type OpenSessionServer = (options: SessionServerOptions) => Promise<SessionServer>;

/** The facts that every host starts with. */
export interface HostSetup {
  readonly env: Environment;
  readonly cwd: string;
  readonly paths: Paths;
  readonly loaded: LoadedConfig;
  readonly settings: Settings;
  /** The mode that the command line sets; absent if it sets none. */
  readonly approve?: ApproveMode;
}

/** The context for the query `show`, besides the session: the start options of its owner. */
export interface ShowContext {
  readonly engine: Engine;
  readonly setup: HostSetup;
}

/** Prints what a meta-command prints that only reads, known secrets taken out; throws for any other line. */
export type AnswerShow = (request: ShowRequest, live: LiveSession) => Promise<string>;

/** Makes that for a daemon; given by the entry point, which knows all hosts. */
export type OpenShow = (context: ShowContext) => AnswerShow;
