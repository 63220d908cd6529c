import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { AishError, errorCode } from '../../protocol/error.ts';

/** Where a path of a tool call leads. */
export interface TargetPath {
  /** Absolute, as it was meant. */
  readonly named: string;
  /** Where reading or writing it really happens: no symbolic link is left in it. */
  readonly real: string;
}

const MOST_LINKS = 40;

/** Resolves a path of a tool call against a directory, `~` and symbolic links included; the file need not exist. */
export function targetPath(path: string, cwd: string): TargetPath {
  if (path === '' || path.includes('\0')) {
    throw new AishError('file.bad-path', `"${path.replaceAll('\0', '\\0')}" is not a path`, {
      hint: 'give the path of a file',
    });
  }
  const expanded = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
  const named = resolve(cwd, expanded);
  return { named, real: followLinks(named) };
}

/** Where an absolute path really leads, as far as that can be told. */
export function leadsTo(path: string): string {
  try {
    return followLinks(path);
  } catch (thrown) {
    // Whoever goes there fails for the same reason.
    if (thrown instanceof AishError) return path;
    throw thrown;
  }
}

function followLinks(path: string): string {
  let current = path;
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const real = realpathOrNull(current);
    if (real !== null) return real;
    const parent = dirname(current);
    if (parent === current) return current;
    const own = join(followLinks(parent), basename(current));
    // A link that leads nowhere yet: writing it would create what it points to.
    if (!lstatOrNull(own)?.isSymbolicLink()) return own;
    current = resolve(dirname(own), readlinkSync(own));
  }
  throw new AishError('file.bad-path', `${path} leads through too many symbolic links`, {
    hint: 'name the file itself',
  });
}

function realpathOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw toPathError(path, thrown);
  }
}

function lstatOrNull(path: string) {
  try {
    return lstatSync(path);
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw toPathError(path, thrown);
  }
}

function isMissing(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(thrown));
}

function toPathError(path: string, cause: unknown): AishError {
  const reason = cause instanceof Error ? cause.message.split(',')[0] : String(cause);
  return new AishError('file.bad-path', `cannot resolve ${path}: ${reason}`, { hint: 'check the path', cause });
}
