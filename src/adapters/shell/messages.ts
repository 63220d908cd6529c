/** Texts about the user's shell: notices of faults, and errors. */

import { AishError } from '../../protocol/error.ts';

export const UNRESPONSIVE = 'The shell is not responding; aish starts it again.';
export const formatStartupAsks = (place: string | null) =>
  place === null
    ? 'A startup file of your shell waits for input. You cannot type yet, so aish skips the rest of it.'
    : `A startup file of your shell waits for input (${place}). You cannot type yet, so aish skips the rest of it.`;
export const STOPPED = 'A signal stopped the shell; aish continued it.';
export const LOST =
  'The shell integration stopped working. Your keys go straight to your shell; `exit` ends it and aish.';
export const SLOW_HOOKS = 'The hooks of your shell prompt are still running. Press Ctrl-C to stop them.';
export const HOOKS_HANG = 'The hooks of your shell prompt hang again. Press Ctrl-C to end this shell.';
export const formatRestarted = (program: string, when: 'later' | 'starting' | 'starting a shell') =>
  when !== 'later'
    ? `A startup file replaced your shell with ${program} (exec).${when === 'starting' ? '' : ` To use ${program} in aish, set program = "${program}" under [shell].`}`
    : `exec replaced your shell with ${program}; aish ends it and starts your shell again.`;
export const formatReplaced = (program: string) =>
  `exec replaced your shell with ${program}. Your keys go to ${program}; when it ends, aish ends.`;
export const formatRemovedFunction = (name: string) =>
  `aish removed your function ${name}, because it hid a shell builtin that aish needs.`;
export const badLine = () => new AishError('shell.bad-line', 'a command cannot contain a NUL character');
export const shellEnded = () =>
  new AishError('shell.ended', 'the shell has ended, so the command did not run', { hint: 'run it again' });
export const noTerminal = () => new AishError('shell.no-terminal', 'cannot make a pseudo-terminal for the shell');
export const notStarted = (program: string, cwd: string, why: string, hint: string | null, cause: unknown) =>
  new AishError('shell.not-started', `cannot start ${program} in ${cwd}: ${why}`, {
    hint: hint ?? 'check that the program and the directory exist, or set another shell with [shell] program',
    cause,
  });
export const noPipe = (path: string) =>
  new AishError('shell.no-pipe', `cannot make the pipe ${path}, through which aish controls the shell`, {
    hint: 'set XDG_RUNTIME_DIR to your own folder on a local file system',
  });
