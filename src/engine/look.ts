import type { LoadedConfig } from '../adapters/config/load.ts';
import type { Environment, Paths } from '../adapters/config/paths.ts';
import type { LookRequest } from '../protocol/look.ts';
import type { Settings } from '../protocol/settings.ts';
import type { Engine, LiveSession } from './engine.ts';

/** What a look at a session is answered from, besides the session: what its owner was started with. */
export interface LookPlace {
  readonly engine: Engine;
  readonly setup: {
    readonly env: Environment;
    readonly cwd: string;
    readonly paths: Paths;
    readonly loaded: LoadedConfig;
    readonly settings: Settings;
  };
}

/** Says what a meta-command that only looks says, secrets taken out; throws for any other line. */
export type AnswerLook = (request: LookRequest, live: LiveSession) => Promise<string>;

/** Makes that of a place; given to a daemon by who knows all hosts. */
export type OpenLook = (place: LookPlace) => AnswerLook;
