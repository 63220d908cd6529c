import { lstatSync, mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { AishError } from '../../protocol/error.ts';

/** The environment as data. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** aish's own folders. None of them need exist yet. */
export interface Paths {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}

/** Where things are kept, as the XDG base directories say. A relative value counts as none. */
export function toPaths(env: Environment): Paths {
  return {
    config: join(baseFolder(env, 'XDG_CONFIG_HOME', '.config'), 'aish'),
    state: join(baseFolder(env, 'XDG_STATE_HOME', '.local/state'), 'aish'),
    cache: join(baseFolder(env, 'XDG_CACHE_HOME', '.cache'), 'aish'),
  };
}

function baseFolder(env: Environment, variable: string, underHome: string): string {
  const value = env[variable];
  return value !== undefined && isAbsolute(value) ? value : join(env.HOME || homedir(), underHome);
}

/**
 * Makes and gives the folder for sockets and other things of this login. Without `XDG_RUNTIME_DIR` it is one in the
 * temporary directory, where anybody could have put something of that name first: a folder that is not ours alone is refused.
 */
export function openRuntimeFolder(env: Environment): string {
  const path = runtimeFolder(env);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) {
      throw new AishError('folder.unusable', `cannot make the folder ${path}: ${String(cause)}`, {
        hint: 'set XDG_RUNTIME_DIR to a folder of yours',
        cause,
      });
    }
  }
  refuseShared(path);
  return path;
}

function runtimeFolder(env: Environment): string {
  const base = env.XDG_RUNTIME_DIR;
  if (base !== undefined && isAbsolute(base)) {
    const stat = lstatSync(base, { throwIfNoEntry: false });
    if (stat?.isDirectory() && stat.uid === process.getuid?.()) return join(base, 'aish');
  }
  const temporary = env.TMPDIR !== undefined && isAbsolute(env.TMPDIR) ? env.TMPDIR : tmpdir();
  return join(temporary, `aish-${process.getuid?.() ?? 0}`);
}

function refuseShared(path: string): void {
  const stat = lstatSync(path);
  const why = !stat.isDirectory()
    ? 'is not a folder'
    : stat.uid !== process.getuid?.()
      ? 'belongs to somebody else'
      : (stat.mode & 0o077) !== 0
        ? 'can be opened by others'
        : null;
  if (why === null) return;
  throw new AishError('folder.unsafe', `the folder ${path} ${why}, so aish keeps nothing in it`, {
    hint: 'remove it, or make it yours alone with: chmod 700',
  });
}
