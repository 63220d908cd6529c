import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { errorCode } from '../../protocol/error.ts';
import type { NamedScript } from '../../protocol/tool.ts';

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

/** No script is larger; of a larger file its size and the time of the last write count. */
const LARGEST = 16 * 1024 * 1024;

function seenAt(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return size > LARGEST ? `${ino}:${size}:${mtimeMs}` : standFor(realpathSync(path));
  } catch {
    return standFor(path);
  }
}
