import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AishError, errorCode } from '../../protocol/error.ts';

/**
 * The command that starts this program again, without arguments. A checkout has its launcher, which keeps Bun from
 * reading files of the directory that it is started in.
 */
export function ownProgram(): readonly [string] {
  return isCompiled() ? [toCurrentPath(process.execPath)] : [join(import.meta.dir, '../../../bin/aish')];
}

/** The path of a running program. Linux adds ` (deleted)` to it when an upgrade replaces the file; the new file has the plain path. */
export function toCurrentPath(path: string): string {
  return existsSync(path) ? path : path.replace(/ \(deleted\)$/, '');
}

/** The checkout that `bin/aish` started Bun in, or null for a program that was started in the user's own directory. */
export function startedIn(): string | null {
  const option = isCompiled() ? undefined : process.execArgv.find((word) => word.startsWith(OPTION));
  return option?.slice(OPTION.length) ?? null;
}

/** Returns to the directory in which `bin/aish` started: it starts Bun elsewhere, so that Bun opens none of its files. */
export function enterStartDirectory(): void {
  if (startedIn() !== null) process.chdir(process.env.PWD ?? '/');
}

const OPTION = '--cwd=';

/** True for the program that is one file. */
function isCompiled(): boolean {
  return Bun.main.startsWith('/$bunfs/');
}

/** Enters the directory of `--cwd`, if given, and returns the current directory. */
export function enterDirectory(wanted: string | undefined): string {
  try {
    if (wanted !== undefined) process.chdir(wanted.startsWith('/') ? wanted : resolve(wanted));
    return process.cwd();
  } catch (cause) {
    if (wanted !== undefined)
      throw new AishError('usage', `cannot enter the directory ${wanted} of --cwd`, {
        hint: 'name an existing directory',
        cause,
      });
    const why = errorCode(cause) === 'ENOENT' ? 'no longer exists' : 'is not readable';
    throw new AishError('folder.gone', `the directory in which aish started ${why}`, {
      hint: 'change to another directory, or name one with --cwd',
      cause,
    });
  }
}
