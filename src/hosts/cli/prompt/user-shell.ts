import { Shell, type ShellOptions } from '../../../adapters/shell/shell.ts';
import type { Tty } from '../screen/tty.ts';
import { runtimeFolder, type Setup } from '../setup/setup.ts';

/** How the user's shell is opened at this terminal. */
export interface OwnShellOptions extends Omit<ShellOptions, 'env' | 'size' | 'runtimeDir' | 'terminal' | 'onState'> {
  readonly tty: Tty;
  readonly setup: Setup;
  /** The shell waits for a line: what it knows of words is fresh. */
  readonly onReady: () => void;
}

/** Opens the user's shell with its output on this terminal. */
export function openShell(options: OwnShellOptions): Shell {
  const { tty, setup, onReady, ...rest } = options;
  const env = Object.entries(setup.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Shell.open({
    ...rest,
    env: Object.fromEntries(env),
    size: tty.size(),
    runtimeDir: runtimeFolder(setup),
    terminal: tty.fd,
    onState: (state) => {
      if (state === 'ready') onReady();
    },
  });
}
