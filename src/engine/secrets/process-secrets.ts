import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf, projectAround } from '../../adapters/config/paths.ts';
import type { ServerStatus } from '../../adapters/mcp/server.ts';
import { PLACEHOLDER_START, placeholdersIn } from '../../core/secrets/secret.ts';
import type { Config } from '../../protocol/config.ts';
import { SecretStore } from './secret-store.ts';

/** The directory of a program, and its start options. */
interface SecretStoreContext {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The folder with the state of sessions. */
  readonly paths?: { readonly state: string };
}

/**
 * The secrets known from the start: those that the configuration names, and the possible keys of a model. A name for a secret in an earlier
 * `log` is never given to another secret by chance.
 */
export function createSecretStore(
  { config, env, paths }: Pick<SecretStoreContext, 'config' | 'env' | 'paths'>,
  log: string | null = null,
): SecretStore {
  const keyVariables = Object.keys(env).filter((name) => name.endsWith('_API_KEY'));
  const secretStore = new SecretStore({
    config,
    env,
    keyVariables,
    ...(paths === undefined ? {} : { memory: join(paths.state, 'fingerprints') }),
  });
  if (log !== null) secretStore.reserve(placeholdersInLog(log));
  return secretStore;
}

/** The names in a log, of which only the part behind the first placeholder is made a text: most logs are long and have none. */
function placeholdersInLog(path: string): string[] {
  const bytes = readFileSync(path);
  const first = bytes.indexOf(PLACEHOLDER_START);
  return first < 0 ? [] : placeholdersIn(bytes.toString('utf8', first));
}

/**
 * A secret store for what belongs to no session: servers, history, the program's own last words. It knows what can be known where it was
 * started.
 */
export async function openSecretStore(context: SecretStoreContext): Promise<SecretStore> {
  const { env, cwd } = context;
  const home = homeOf(env);
  const secretStore = createSecretStore(context);
  await secretStore.refresh({ cwd, project: projectAround(cwd, home), home });
  return secretStore;
}

/** A server's message may go to a log outside of aish, such as the standard error of a daemon. */
export function redactStatus(status: ServerStatus, redact: (text: string) => string): ServerStatus {
  return status.error === undefined ? status : { ...status, error: redact(status.error) };
}
