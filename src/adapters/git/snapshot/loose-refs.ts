import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, succeeds } from '../../../core/text/attempt.ts';
import type { Repository } from '../object-store/repository.ts';
import { lstatOrNull } from '../process/raw-path.ts';

/*
 * A process of git costs more than a ref. So where refs are plain files, those of a checkpoint are written and listed here by the rules of
 * git: a lock file with the new value takes the place of the ref.
 */

const SETGID = 0o2000;

/** True if refs are files, and a new one needs no other permissions than the process gives it: a shared repository has its own. */
function hasPlainRefs({ commonDirectory }: Repository): boolean {
  if (existsSync(join(commonDirectory, 'reftable'))) return false;
  return attempt(() => (statSync(join(commonDirectory, 'refs')).mode & SETGID) === 0, false);
}

/** Creates and updates refs as `update-ref --stdin` would; false where git has to do it, or to tell why it cannot be done. */
export function writeLooseRefs(repository: Repository, lines: readonly string[]): boolean {
  const refs = lines.flatMap((line) => {
    const [, verb, name = '', value] = /^(create|update) (refs\/[^ ]+) ([0-9a-f]+)$/.exec(line) ?? [];
    return verb === undefined ? [] : { verb, name, value };
  });
  if (refs.length < lines.length || !hasPlainRefs(repository)) return false;
  const locks: string[] = [];
  const isDone = succeeds(() => {
    for (const { verb, name, value } of refs) {
      const path = join(repository.commonDirectory, name);
      mkdirSync(dirname(path), { recursive: true });
      const file = openSync(`${path}.lock`, 'wx', 0o666);
      locks.push(path);
      try {
        writeFileSync(file, `${value}\n`);
        fdatasyncSync(file);
      } finally {
        closeSync(file);
      }
      if (verb === 'create' && isTaken(repository, name)) throw new Error(name);
    }
    // The ref of the snapshot itself comes last: it is what makes the checkpoint.
    for (const path of locks.toReversed()) renameSync(`${path}.lock`, path);
  });
  if (!isDone) for (const path of locks) rmSync(`${path}.lock`, { force: true });
  return isDone;
}

function isTaken({ commonDirectory }: Repository, name: string): boolean {
  const packed = readPacked(commonDirectory);
  const names = [name, dirname(name)];
  return lstatOrNull(join(commonDirectory, name)) !== null || names.some((one) => packed.includes(` ${one}\n`));
}

function readPacked(commonDirectory: string): string {
  const path = join(commonDirectory, 'packed-refs');
  return existsSync(path) ? readFileSync(path, 'latin1') : '';
}

/** Names of the folders below a folder of refs that hold any, unsorted; null if only git can tell. */
export function listRefFolders(repository: Repository, top: string): readonly string[] | null {
  if (!hasPlainRefs(repository)) return null;
  const folder = join(repository.commonDirectory, top);
  return attempt(() => {
    const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
    const loose = entries.flatMap((entry) =>
      entry.isDirectory() && holdsRef(join(folder, entry.name)) ? [entry.name] : [],
    );
    const packed = readPacked(repository.commonDirectory)
      .split('\n')
      .flatMap((line) => {
        const name = line.slice(line.indexOf(' ') + 1);
        return name.startsWith(`${top}/`) ? [name.slice(top.length + 1).split('/')[0] ?? ''] : [];
      });
    return [...loose, ...packed];
  }, null);
}

/** A process that was stopped may have left a lock. */
function holdsRef(folder: string): boolean {
  return readdirSync(folder).some((name) => !name.endsWith('.lock'));
}
