import type { FileVersion } from '../../../protocol/checkpoint.ts';
import { readLooseObject } from '../object-store/loose-object.ts';
import type { Repository } from '../object-store/repository.ts';

/** A file in which two trees differ. */
export interface TreeChange {
  /** Raw path. */
  readonly path: string;
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
}

/** One process of git is quicker than reading more trees than this. */
const MOST_READS = 64;

const TREE_MODE = '40000';
const FILE_MODES: ReadonlySet<string> = new Set(['100644', '100755', '120000']);

/** The files in which two trees differ, in the order of git; null if only git can tell: a tree is packed, strange or one of too many. */
export function compareLooseTrees(repository: Repository, before: string, after: string): readonly TreeChange[] | null {
  const changes: TreeChange[] = [];
  let reads = 0;
  const read = (name: string | undefined): ReadonlyMap<string, FileVersion> | null => {
    if (name === undefined) return new Map();
    reads += 1;
    const body = reads > MOST_READS ? null : readLooseObject(repository, 'tree', name);
    return body === null ? null : parseTree(body, name.length / 2);
  };
  const compare = (folder: string, one: string | undefined, other: string | undefined): boolean => {
    const [old, present] = [read(one), read(other)];
    if (old === null || present === null) return false;
    return [...new Set([...old.keys(), ...present.keys()])].sort().every((name) => {
      const [was, is] = [old.get(name) ?? null, present.get(name) ?? null];
      if (was?.mode === is?.mode && was?.blob === is?.blob) return true;
      if (name.endsWith('/')) return compare(`${folder}${name}`, was?.blob, is?.blob);
      changes.push({ path: `${folder}${name}`, before: was, after: is });
      return true;
    });
  };
  return compare('', before, after) ? changes : null;
}

/** The entries of a tree by name, a folder's with a `/` at the end; null for one that no snapshot has. */
function parseTree(body: Buffer, hashBytes: number): ReadonlyMap<string, FileVersion> | null {
  const entries = new Map<string, FileVersion>();
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(0, at);
    const [, mode = '', name = ''] = /^(\d+) ([^/]+)$/s.exec(body.toString('latin1', at, end)) ?? [];
    const blob = body.toString('hex', end + 1, end + 1 + hashBytes);
    const isTree = mode === TREE_MODE;
    if (end === -1 || blob.length !== 2 * hashBytes || !(isTree || FILE_MODES.has(mode))) return null;
    entries.set(isTree ? `${name}/` : name, { mode, blob });
    at = end + 1 + hashBytes;
  }
  return entries;
}
