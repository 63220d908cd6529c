import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { AishError, errorCode } from '../../protocol/error.ts';
import type { NamedScript } from '../../protocol/tool.ts';
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

/** Stands for no file at all. */
export const NO_FILE = 'none';

/** A hash that anybody could make would confirm guesses about a secret file; only this process has the key. */
const KEY = crypto.getRandomValues(new Uint8Array(32));

/** Stands for what a path holds now, links not followed: the same for the same content. */
export function standFor(path: string): string {
  try {
    if (!lstatSync(path).isFile()) return 'other';
    return new Bun.CryptoHasher('sha256', KEY).update(readFileSync(path)).digest('hex');
  } catch (thrown) {
    const code = errorCode(thrown);
    return code === 'ENOENT' || code === 'ENOTDIR' ? NO_FILE : 'other';
  }
}

/** Stands for a text: the same for the same one. */
export function standForText(text: string): string {
  return new Bun.CryptoHasher('sha256', KEY).update(text).digest('hex');
}

/** The content of some files of code now, with links followed. */
export function seeScripts(paths: Iterable<string>): readonly NamedScript[] {
  return [...new Set(paths)].map((path) => ({ path, seen: seenAt(path) }));
}

/** The first of some files of code that holds something else by now; null where all are as they were. */
export function findChangedScript(scripts: readonly NamedScript[]): string | null {
  return scripts.find(({ path, seen }) => seenAt(path) !== seen)?.path ?? null;
}

/** No script is larger; of a larger file its size and the time of its last change count. The time of the last write may be set. */
const LARGEST = 16 * 1024 * 1024;

function seenAt(path: string): string {
  try {
    const { ino, size, ctimeMs } = statSync(path);
    return size > LARGEST ? `${ino}:${size}:${ctimeMs}` : standFor(realpathSync(path));
  } catch {
    return standFor(path);
  }
}
