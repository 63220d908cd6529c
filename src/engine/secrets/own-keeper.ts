import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { projectAround } from '../../adapters/config/project-around.ts';
import type { ServerStatus } from '../../adapters/mcp/server.ts';
import { MODEL_CANDIDATES } from '../../adapters/model/candidates.ts';
import { placeholdersIn } from '../../core/secrets/secret.ts';
import type { Config } from '../../protocol/config.ts';
import { SecretKeeper } from './secret-keeper.ts';

/** Where a program stands, and what it was started with. */
export interface KeeperContext {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Where the state of sessions is kept. */
  readonly paths?: { readonly state: string };
}

/**
 * What is secret from the start: what the configuration names, and where the key of a model may be found. What stands for a secret in a `log`
 * of before stands for no other one by chance.
 */
export function createKeeper(
  { config, env, paths }: Pick<KeeperContext, 'config' | 'env' | 'paths'>,
  log: string | null = null,
): SecretKeeper {
  const keyVariables = MODEL_CANDIDATES.flatMap(({ keyEnv }) => keyEnv ?? []);
  const keeper = new SecretKeeper({
    config,
    env,
    keyVariables,
    ...(paths === undefined ? {} : { memory: join(paths.state, 'fingerprints') }),
  });
  if (log !== null) keeper.reserve(placeholdersIn(readFileSync(log, 'utf8')));
  return keeper;
}

/** A keeper for what belongs to no session: servers, history, the program's own last words. It knows what can be known where it was started. */
export async function openKeeper(context: KeeperContext): Promise<SecretKeeper> {
  const { env, cwd } = context;
  const home = env.HOME ?? homedir();
  const keeper = createKeeper(context);
  await keeper.refresh({ cwd, project: projectAround(cwd, home), home });
  return keeper;
}

/** What a server says may go to a log that somebody else keeps, such as the standard error of a daemon. */
export function concealStatus(status: ServerStatus, conceal: (text: string) => string): ServerStatus {
  return status.error === undefined ? status : { ...status, error: conceal(status.error) };
}
