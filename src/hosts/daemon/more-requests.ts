import { systemCalls } from '../../adapters/system/system-calls.ts';

/** Read by Bun once, when a process begins: how many HTTP requests it has under way at once. */
const VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS';
const MOST = '4096';

/**
 * Begins this process anew, once, with room for more requests to models. Bun lets 256 go at a time, and each session with an
 * answer streaming holds one: the next would stand still until another ends. Costs a start of some milliseconds and keeps
 * the process id. Returns where that is done already, was set by the owner, or cannot be.
 */
export function allowMoreRequests(env: Readonly<Record<string, string | undefined>>): void {
  if (env[VARIABLE] !== undefined) return;
  const compiled = Bun.main.startsWith('/$bunfs/');
  const args = [process.execPath, ...(compiled ? [] : [...process.execArgv, Bun.main]), ...process.argv.slice(2)];
  systemCalls()?.execute(process.execPath, args, { ...env, [VARIABLE]: MOST });
}

/** The environment without what was set for this process alone. */
export function withoutOwnSetting(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const { [VARIABLE]: most, ...rest } = env;
  return most === undefined || most === MOST ? rest : { ...rest, [VARIABLE]: most };
}
