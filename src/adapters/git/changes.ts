import type { FileVersion, StepCounts } from '../../protocol/checkpoint.ts';
import type { CheckpointRecord } from './checkpoint-record.ts';
import { readGit } from './git-process.ts';
import { privateEnvironment } from './private-directory.ts';
import { splitRawPaths } from './raw-path.ts';
import type { Repository } from './repository.ts';

/** What became of one path from one picture to another. */
export interface Change {
  /** Raw path. */
  readonly path: string;
  readonly before: FileVersion | null;
  readonly after: FileVersion | null;
}

/** All paths in which two pictures differ. A rename is a path that went and one that came. */
export async function readChanges(repository: Repository, before: string, after: string): Promise<readonly Change[]> {
  if (before === after) return [];
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', before, after];
  const call = { ...repository.place, env: privateEnvironment(repository), args };
  const fields = (await readGit(call, 'compare the pictures')).toString('latin1').split('\0');
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = (fields[at] ?? '').slice(1).split(' ');
    const path = fields[at + 1] ?? '';
    changes.push({ path, before: toVersion(oldMode, oldBlob), after: toVersion(newMode, newBlob) });
  }
  return changes;
}

/** Raw paths that any of the sealed steps changed. */
export async function listChanged(
  repository: Repository,
  records: readonly CheckpointRecord[],
): Promise<ReadonlySet<string>> {
  const pairs = records.flatMap(({ before, after }) => (after === null ? [] : [`${before.tree} ${after.tree}\n`]));
  if (pairs.length === 0) return new Set();
  const args = ['diff-tree', '--stdin', '-r', '-z', '--name-only', '--no-renames', '--format='];
  const call = { ...repository.place, env: privateEnvironment(repository), args, input: pairs.join('') };
  const listing = await readGit(call, 'compare the checkpoints');
  // With two trees per line the line itself comes first, ended by a line break.
  return new Set(splitRawPaths(listing).flatMap((field) => field.replace(PAIR, '') || []));
}

const PAIR = /^(?:[0-9a-f]{40,64} [0-9a-f]{40,64}\n)+/;

/** Counts the paths each sealed step changed, with one git process for all; with `only` those alone and what lies below them. */
export async function countChanges(
  repository: Repository,
  records: readonly CheckpointRecord[],
  only: readonly string[] = [],
): Promise<ReadonlyMap<string, StepCounts>> {
  const sealed = records.filter((record) => record.after !== null);
  const counts = new Map(sealed.map((record) => [record.id, { added: 0, changed: 0, removed: 0 }]));
  const differing = sealed.filter((record) => record.before.tree !== record.after?.tree);
  if (differing.length === 0) return counts;
  const input = differing.map((record) => `${record.before.tree} ${record.after?.tree}\n`).join('');
  const args = ['diff-tree', '--stdin', '-r', '--raw', '--no-renames', ...(only.length === 0 ? [] : ['--', ...only])];
  const call = { ...repository.place, env: privateEnvironment(repository), args, input };
  const listing = await readGit(call, 'compare the checkpoints');
  let current = -1;
  for (const line of listing.toString('latin1').split('\n')) {
    if (!line.startsWith(':')) current += line === '' ? 0 : 1;
    const count = counts.get(differing[current]?.id ?? '');
    if (!line.startsWith(':') || count === undefined) continue;
    count[toKind(line.split('\t')[0]?.at(-1))] += 1;
  }
  return counts;
}

function toKind(status: string | undefined): keyof StepCounts {
  if (status === 'A') return 'added';
  return status === 'D' ? 'removed' : 'changed';
}

function toVersion(mode: string, blob: string): FileVersion | null {
  return mode === '000000' ? null : { mode, blob };
}
