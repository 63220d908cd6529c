import { basename, delimiter, isAbsolute, join } from 'node:path';
import { AishError } from '../../protocol/error.ts';
import { isExecutableNow } from '../system/file-status.ts';

/** Where the choice of a shell comes from. */
export interface ShellChoice {
  /** `[shell] program` of the configuration. */
  readonly program?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type ShellKind = 'bash' | 'zsh';

const FALLBACKS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/bin/zsh'];

/** The user's own shell: the configured one, else $SHELL where it is bash or zsh, else bash. */
export function findShell(choice: ShellChoice): string {
  const { program, env } = choice;
  if (program !== undefined && program !== '') return findConfigured(program, env.PATH ?? '');
  const login = env.SHELL ?? '';
  if (isAbsolute(login) && toShellKind(login) !== null && isExecutableNow(login)) return login;
  const found = FALLBACKS.find(isExecutableNow);
  if (found !== undefined) return found;
  throw new AishError('shell.not-found', 'found neither bash nor zsh, and aish needs one of them to run commands', {
    hint: 'install bash or zsh, or name one in the configuration: [shell] program = "/path/to/bash"',
  });
}

/** Which of the shells we know a program is, by its name; null for any other. */
export function toShellKind(program: string): ShellKind | null {
  const name = basename(program).replace(/^-/, '');
  const kind = /^(?:r?(bash)|r?(zsh))(?:[-.]?\d[\d.]*)?$/.exec(name);
  if (kind === null) return null;
  return kind[1] === undefined ? 'zsh' : 'bash';
}

function findConfigured(program: string, path: string): string {
  if (toShellKind(program) === null) {
    throw new AishError(
      'shell.unsupported',
      `the configured shell "${program}" is none aish can drive: bash and zsh work today`,
      {
        hint: 'set [shell] program to bash or zsh, or leave it out; your other shell stays your login shell',
      },
    );
  }
  const candidates = program.includes('/') ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  const found = candidates.find((candidate) => isAbsolute(candidate) && isExecutableNow(candidate));
  if (found !== undefined) return found;
  throw new AishError('shell.not-found', `the configured shell "${program}" is not there or cannot be executed`, {
    hint: 'set [shell] program to the full path of bash or zsh, or leave it out',
  });
}

/** Longest wait for a shell that only reads. */
const PATIENCE_MS = 500;

/** A loop of zsh without a body takes this for its body; after a complete line it is an error. */
const BODY = 'do :\ndone\n';

/**
 * Asks the user's own shell whether a line is complete: it reads the line without running anything, without startup files and without
 * an environment. For the rare line that our own scan finds open; false where the shell finds it open too, or wrong, or does not answer.
 */
export async function isWholeForShell(line: string, choice: ShellChoice): Promise<boolean> {
  try {
    const program = findShell(choice);
    if (toShellKind(program) !== 'zsh')
      return await isReadable([program, '--norc', '--noprofile', '-O', 'extglob', '-n'], `${line}\n`);
    // At the end of its input zsh takes `for f in a b` for a loop with an empty body.
    const command = [program, '-fn'];
    const [isWhole, isOpen] = await Promise.all(
      [`${line}\n`, `${line}\n${BODY}`].map((text) => isReadable(command, text)),
    );
    return isWhole === true && isOpen === false;
  } catch {
    return false;
  }
}

async function isReadable(command: readonly string[], text: string): Promise<boolean> {
  const child = Bun.spawn([...command], {
    stdin: new Blob([text]),
    stdout: 'ignore',
    stderr: 'ignore',
    env: {},
    cwd: '/',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  });
  return (await child.exited) === 0;
}
