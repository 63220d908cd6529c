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
export function findShell(choice: ShellChoice): string {
  const { program, env } = choice;
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
  if (toShellKind(program) === null) {
    throw new AishError(
      'shell.unsupported',
      `aish does not support the configured shell "${program}", only bash, zsh and fish`,
      {
        hint: 'set [shell] program to bash, zsh or fish, or remove it; your login shell stays as it is',
      },
    );
  }
  const candidates = program.includes('/') ? [program] : path.split(delimiter).map((folder) => join(folder, program));
  const found = candidates.find((candidate) => isAbsolute(candidate) && isExecutableNow(candidate));
  if (found !== undefined) return found;
  throw new AishError('shell.not-found', `the configured shell "${program}" does not exist or is not executable`, {
    hint: 'set [shell] program to the full path of bash, zsh or fish, or remove it',
  });
}

/** Longest wait for the shell to parse a line. */
const PATIENCE_MS = 500;

/** The body of a zsh loop that lacks one; an error after a complete line. */
const BODY = 'do :\ndone\n';

/**
 * Lets the user's shell parse a line, without running it, startup files or an environment. For the rare line that aish's own scan finds
 * open; false if the shell finds it open or wrong, or does not answer.
 */
export async function isWholeForShell(line: string, choice: ShellChoice): Promise<boolean> {
  try {
    const program = findShell(choice);
    if (toShellKind(program) === 'fish') return await isWholeForFish(program, line);
    if (toShellKind(program) !== 'zsh')
      return await isReadable([program, '--norc', '--noprofile', '-O', 'extglob', '-n'], `${line}\n`);
    // At the end of its input zsh takes `for f in a b` as a loop with an empty body.
    const command = [program, '-fn'];
    const [isWhole, isOpen] = await Promise.all(
      [`${line}\n`, `${line}\n${BODY}`].map((text) => isReadable(command, text)),
    );
    return isWhole === true && isOpen === false;
  } catch {
    return false;
  }
}

/** The ends of a line that fish finds open: one of these, or several blocks. */
const FISH_ENDS = ['\nend', '\nend\nend', '\nend\nend\nend', "'", '"', ')', ' true'];

/** A line that fish finds wrong, however it might go on, is whole: fish says what is wrong. */
async function isWholeForFish(program: string, line: string): Promise<boolean> {
  const command = [program, '--no-config', '-n'];
  if (await isReadable(command, `${line}\n`)) return true;
  const ended = await Promise.all(FISH_ENDS.map((end) => isReadable(command, `${line}${end}\n`)));
  return !ended.includes(true);
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
