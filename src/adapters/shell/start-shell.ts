import { bash } from './integration/bash.ts';
import type { Integration } from './integration/integration.ts';
import { zsh } from './integration/zsh.ts';
import { toShellKind } from './program.ts';
import { Pty } from './pty.ts';
import type { RuntimeFiles } from './runtime-files.ts';
import type { ShellOptions } from './shell-options.ts';

/** What of ours tells the shell what to do, and who hears of it. */
export interface StartParts {
  readonly integration: Integration;
  readonly files: RuntimeFiles;
  readonly nonce: string;
  readonly onData: (bytes: Uint8Array) => void;
  readonly onExit: (code: number | null) => void;
}

/** How the shell of that path is made to tell us what it does. */
export function integrationOf(program: string): Integration {
  return toShellKind(program) === 'zsh' ? zsh : bash;
}

/** Starts the person's shell on a terminal of its own; without a shell its files go again. */
export function startShell(program: string, options: ShellOptions, parts: StartParts): Pty {
  try {
    return start(program, options, parts);
  } catch (error) {
    parts.files.close();
    throw error;
  }
}

function start(program: string, options: ShellOptions, { integration, files, nonce, onData, onExit }: StartParts): Pty {
  const { env, cwd, size, login = false, renderPrompt = false, restore = null } = options;
  const preparation = integration.prepare({ folder: files.folder, nonce, login, env, renderPrompt });
  if (restore !== null) files.writeRestore(restore);
  files.writeStartFiles(preparation);
  return new Pty({
    command: [program, ...preparation.args],
    cwd,
    env: { ...env, ...preparation.env, SHELL: program, AISH: String(process.pid) },
    size,
    onData,
    onExit,
  });
}
