import { basename, delimiter, isAbsolute, join } from 'node:path';
import { AishError } from '../../protocol/error.ts';
import { isExecutableNow } from '../system/file-status.ts';

/** Sources of the choice of a shell. */
export interface ShellChoice {
  /** `[shell] program` of the configuration. */
  readonly program?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type ShellKind = 'bash' | 'zsh' | 'fish';

const FALLBACKS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/bin/zsh'];

/** The user's own shell: the configured one, else $SHELL where it is bash, zsh or fish, else bash. */
export function findShell({ program, env }: ShellChoice): string {
  if (program !== undefined && program !== '') return findConfigured(program, env.PATH ?? '');
  const login = env.SHELL ?? '';
  if (isAbsolute(login) && toShellKind(login) !== null && isExecutableNow(login)) return login;
  const found = FALLBACKS.find(isExecutableNow);
  if (found !== undefined) return found;
  throw new AishError('shell.not-found', 'cannot find bash, zsh or fish; aish needs one of them to run commands', {
    hint: 'install bash, zsh or fish, or set its path in the configuration: [shell] program = "/path/to/bash"',
  });
}

/** The kind of shell by the name of its program; null for any other program. */
export function toShellKind(program: string): ShellKind | null {
  const name = basename(program).replace(/^-/, '');
  const [, kind] = /^r?(bash|zsh|(?<!r)fish)(?:[-.]?\d[\d.]*)?$/.exec(name) ?? [];
  return kind === 'bash' || kind === 'zsh' || kind === 'fish' ? kind : null;
}

function findConfigured(program: string, path: string): string {
  if (toShellKind(program) === null)
    throw new AishError(
      'shell.unsupported',
      `aish does not support the configured shell "${program}", only bash, zsh and fish`,
      { hint: 'set [shell] program to bash, zsh or fish, or remove it; your login shell stays as it is' },
    );
  const candidates = program.includes('/') ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  const found = candidates.find((candidate) => isAbsolute(candidate) && isExecutableNow(candidate));
  if (found !== undefined) return found;
  throw new AishError('shell.not-found', `the configured shell "${program}" does not exist or is not executable`, {
    hint: 'set [shell] program to the full path of bash, zsh or fish, or remove it',
  });
}
