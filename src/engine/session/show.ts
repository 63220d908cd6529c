import type { LoadedConfig } from '../../adapters/config/load.ts';
import type { Environment, Paths } from '../../adapters/config/paths.ts';
import type { ShowRequest } from '../../protocol/query.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { Engine, LiveSession } from './engine.ts';

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
