import { loadConfig } from '../../../adapters/config/load.ts';
import { findShell } from '../../../adapters/shell/program.ts';
import { systemCalls } from '../../../adapters/system/system-calls.ts';
import type { Invocation } from '../../../core/command-line/invocation.ts';

/**
 * `aish -c`: becomes the user's shell with the same arguments, without a model or session. Returns only if the system cannot replace a
 * process.
 */
export async function runInOwnShell(invocation: Extract<Invocation, { type: 'exec' }>): Promise<number> {
  const program = findShell({ program: await configuredShell(), env: process.env });
  return becomeShell(program, invocation.args, invocation.login);
}

/** Replaces this process by the shell. If that fails, runs the shell and returns its exit status. */
function becomeShell(program: string, args: readonly string[], login: boolean): number {
  const env = { ...process.env, SHELL: program };
  const name = login ? `-${program.slice(program.lastIndexOf('/') + 1)}` : program;
  systemCalls()?.execute(program, [name, ...args], env);
  const done = Bun.spawnSync([program, ...(login ? ['-l'] : []), ...args], {
    stdio: ['inherit', 'inherit', 'inherit'],
    env,
  });
  return done.exitCode;
}

/** A broken configuration must not keep scp, rsync or an editor's shell-out from working. */
async function configuredShell(): Promise<string | undefined> {
  try {
    return (await loadConfig({ env: process.env, cwd: process.cwd() })).config.shell.program;
  } catch {
    return undefined;
  }
}
