import { homedir } from 'node:os';
import { MODEL_CANDIDATES } from '../adapters/model/candidates.ts';
import type { Config } from '../protocol/config.ts';
import { projectAround } from './project-around.ts';
import { SecretKeeper } from './secret-keeper.ts';

/** Where a program stands, and what it was started with. */
export interface KeeperGround {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** What is secret from the start: what the configuration names, and where the key of a model may be found. */
export function createKeeper({ config, env }: Pick<KeeperGround, 'config' | 'env'>): SecretKeeper {
  return new SecretKeeper({ config, env, keyVariables: MODEL_CANDIDATES.flatMap(({ keyEnv }) => keyEnv ?? []) });
}

/** A keeper for what belongs to no session: servers, history, the program's own last words. It knows what can be known where it was started. */
export async function openKeeper(ground: KeeperGround): Promise<SecretKeeper> {
  const { env, cwd } = ground;
  const home = env.HOME ?? homedir();
  const keeper = createKeeper(ground);
  await keeper.refresh({ cwd, project: projectAround(cwd, home), home });
  return keeper;
}
