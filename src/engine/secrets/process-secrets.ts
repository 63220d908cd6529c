import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { projectAround } from '../../adapters/config/paths.ts';
import type { ServerStatus } from '../../adapters/mcp/server.ts';
import { MODEL_CANDIDATES } from '../../adapters/model/candidates.ts';
import { placeholdersIn } from '../../core/secrets/secret.ts';
import type { Config } from '../../protocol/config.ts';
import { SecretStore } from './secret-store.ts';

/** Where a program stands, and what it was started with. */
interface SecretStoreContext {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Where the state of sessions is kept. */
  readonly paths?: { readonly state: string };
}

/**
 * What is secret from the start: what the configuration names, and where the key of a model may be found. What stands for a secret in a
 * `log` of before stands for no other one by chance.
 */
export function createSecretStore(
  { config, env, paths }: Pick<SecretStoreContext, 'config' | 'env' | 'paths'>,
  log: string | null = null,
): SecretStore {
  const keyVariables = MODEL_CANDIDATES.flatMap(({ keyEnv }) => keyEnv ?? []);
  const secretStore = new SecretStore({
    config,
    env,
    keyVariables,
    ...(paths === undefined ? {} : { memory: join(paths.state, 'fingerprints') }),
  });
  if (log !== null) secretStore.reserve(placeholdersIn(readFileSync(log, 'utf8')));
  return secretStore;
}

/**
 * A secret store for what belongs to no session: servers, history, the program's own last words. It knows what can be known where it was
 * started.
 */
export async function openSecretStore(context: SecretStoreContext): Promise<SecretStore> {
  const { env, cwd } = context;
  const home = env.HOME ?? homedir();
  const secretStore = createSecretStore(context);
  await secretStore.refresh({ cwd, project: projectAround(cwd, home), home });
  return secretStore;
}

/** What a server says may go to a log that somebody else keeps, such as the standard error of a daemon. */
export function redactStatus(status: ServerStatus, redact: (text: string) => string): ServerStatus {
  return status.error === undefined ? status : { ...status, error: redact(status.error) };
}
