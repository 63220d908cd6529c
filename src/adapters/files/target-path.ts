import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { AishError, errorCode } from '../../protocol/error.ts';
import { notAPath, tooManyLinks, unresolvable } from './messages.ts';

/** The target of a path in a tool call. */
export interface TargetPath {
  /** Absolute, as it was meant. */
  readonly named: string;
  /** The path at which reading or writing really happens: no symbolic link is left in it. */
  readonly real: string;
}

const MOST_LINKS = 40;

/** Resolves a path of a tool call against a directory, `~` and symbolic links included; the file need not exist. */
export function targetPath(path: string, cwd: string): TargetPath {
  if (path === '' || path.includes('\0')) throw notAPath(path.replaceAll('\0', '\\0'));
  const expanded = path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path;
  const named = resolve(cwd, expanded);
  return { named, real: followLinks(named) };
}

/** The real target of an absolute path; the path itself if it cannot be resolved. */
export function leadsTo(path: string): string {
  try {
    return followLinks(path);
  } catch (thrown) {
    // Opening it fails for the same reason.
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
  throw tooManyLinks(path);
}

function realpathOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw unresolvable(path, thrown);
  }
}

function lstatOrNull(path: string) {
  try {
    return lstatSync(path);
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw unresolvable(path, thrown);
  }
}

function isMissing(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(thrown));
}
