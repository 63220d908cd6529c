import { join, resolve } from 'node:path';
import { AishError, errorCode } from '../../protocol/error.ts';

/**
 * The command that starts this very program again, arguments not included. A checkout has its launcher, which keeps Bun from
 * reading files of the directory that it is started in.
 */
export function ownProgram(): readonly [string] {
  return isCompiled() ? [process.execPath] : [join(import.meta.dir, '../../../bin/aish')];
}

/** The checkout that `bin/aish` started Bun in, or null for a program that was started in the user's own directory. */
export function startedIn(): string | null {
  const option = isCompiled() ? undefined : process.execArgv.find((word) => word.startsWith(OPTION));
  return option?.slice(OPTION.length) ?? null;
}

/** Goes back to the directory that `bin/aish` was started in: it starts Bun elsewhere, so that Bun opens none of its files. */
export function enterStartDirectory(): void {
  if (startedIn() !== null) process.chdir(process.env.PWD ?? '/');
}

const OPTION = '--cwd=';

/** True for the program that is one file. */
function isCompiled(): boolean {
  return Bun.main.startsWith('/$bunfs/');
}

/** Goes to the directory that `--cwd` names, if it names one. The answer is where the program is now. */
export function enterDirectory(wanted: string | undefined): string {
  try {
    if (wanted !== undefined) process.chdir(wanted.startsWith('/') ? wanted : resolve(wanted));
    return process.cwd();
  } catch (cause) {
    if (wanted !== undefined) {
      throw new AishError('usage', `cannot go to --cwd ${wanted}`, { hint: 'name an existing directory', cause });
    }
    const why = errorCode(cause) === 'ENOENT' ? 'no longer exists' : 'cannot be read';
    throw new AishError('folder.gone', `the directory aish was started in ${why}`, {
      hint: 'go to another one, or name one with --cwd',
      cause,
    });
  }
}
