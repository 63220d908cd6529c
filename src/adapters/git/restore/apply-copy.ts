import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import type { RetentionLimits, SnapshotLimits } from '../../../core/session/settings.ts';
import type { FileVersion } from '../../../protocol/checkpoint.ts';
import { openRepository, type Repository } from '../object-store/repository.ts';
import type { SnapshotContent } from '../object-store/withheld.ts';
import { formatRawPath, toRawPath } from '../process/raw-path.ts';
import { readChanges } from '../snapshot/changes.ts';
import { createCheckpoint, finalizeCheckpoint } from '../snapshot/checkpoint.ts';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import { diffSnapshots } from '../snapshot/timeline.ts';
import { isSameState, keepContent, readBlobs, readFileState, refusePath } from '../snapshot/work-file.ts';
import { putAllBack } from './apply.ts';
import { CHANGED_HERE, NO_FILE } from './messages.ts';

/** A working copy, with the snapshot of its start. */
export interface CopyPlace {
  /** The folder that was copied. */
  readonly project: string;
  readonly tree: string;
  readonly base: SnapshotContent;
}

/** A path that differs from the start of the copy, and the effect of applying it. */
export interface CopyChange {
  /** Relative to the project. */
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** `same`: the project has the new content already. `conflict`: it has a content of its own. */
  readonly state: 'free' | 'same' | 'conflict';
  /** The reason of a conflict; empty otherwise. */
  readonly why: string;
}

/** The result for the changes of a working copy. */
export interface AppliedCopy {
  readonly applied: readonly string[];
  readonly conflicts: readonly { readonly path: string; readonly why: string }[];
  /** The checkpoint that an undo needs; null if nothing was applied. */
  readonly checkpoint: string | null;
}

interface Planned extends CopyChange {
  /** Raw, relative to the repository of the project. */
  readonly key: string;
  readonly now: FileVersion | null;
  readonly target: FileVersion | null;
}

/** The changes of a working copy, by path, against the project as it is now. */
export async function planCopyChanges(place: CopyPlace): Promise<readonly CopyChange[]> {
  return (await plan(place, await openRepository(place.tree), await openRepository(place.project))).map(toShown);
}

function toShown({ path, kind, state, why }: Planned): CopyChange {
  return { path, kind, state, why };
}

/** Unified diff of everything that changed in a working copy. */
export async function diffWorkingCopy({ tree, base }: Pick<CopyPlace, 'tree' | 'base'>): Promise<string> {
  const copy = await openRepository(tree);
  return diffSnapshots(copy, base, await takeSnapshot(copy));
}

async function plan({ base, project }: CopyPlace, copy: Repository, target: Repository): Promise<readonly Planned[]> {
  const inside = relative(target.root, realpathSync(project));
  const above = inside === '' ? '' : `${toRawPath(inside)}/`;
  const changes = await readChanges(copy, base, await takeSnapshot(copy));
  return changes
    .filter(({ isPlanted }) => isPlanted !== true)
    .map(({ path, before, after }): Planned => {
      const key = `${above}${path}`;
      const found = refusePath(target.root, key);
      const now = found === null ? readFileState(target, key) : null;
      const kind = before === null ? 'added' : after === null ? 'removed' : 'changed';
      const shown = { key, path: formatRawPath(path), kind, target: after, now: now === 'other' ? null : now } as const;
      if (found !== null) return { ...shown, state: 'conflict', why: found };
      if (now === 'other') return { ...shown, state: 'conflict', why: NO_FILE };
      if (isSameState(now, after)) return { ...shown, state: 'same', why: '' };
      return isSameState(now, before)
        ? { ...shown, state: 'free', why: '' }
        : { ...shown, state: 'conflict', why: CHANGED_HERE };
    });
}

interface ApplyCopyOptions {
  /** A directory that stays even if it becomes empty. */
  readonly cwd: string;
  readonly label: string;
  readonly sessionId: string;
  readonly limits: RetentionLimits;
  readonly most?: SnapshotLimits | undefined;
}

/**
 * Applies the changes of a working copy to the project, with a checkpoint. A path that the user changed meanwhile stays as it is, and
 * so does a path that changes at the last moment.
 */
export async function applyWorkingCopy(place: CopyPlace, options: ApplyCopyOptions): Promise<AppliedCopy> {
  const { project } = place;
  const [copy, target] = [await openRepository(place.tree), await openRepository(project)];
  const planned = await plan(place, copy, target);
  const conflicts = planned.filter(({ state }) => state === 'conflict').map(({ path, why }) => ({ path, why }));
  const free = planned.filter(({ state }) => state === 'free');
  if (free.length === 0) return { applied: [], conflicts, checkpoint: null };
  const { cwd, label, sessionId, limits, most } = options;
  const change = { label, toolName: 'norris', cause: 'user', mode: 'ref' } as const;
  const checkpoint = await createCheckpoint({ ...change, cwd: project, sessionId, at: Date.now(), limits, most });
  await bringContents(copy, target, free);
  const unknown = { was: null, left: null, folder: () => null };
  const done = await putAllBack(
    target,
    free.map(({ key, now, target: version }) => ({ path: key, now, target: version })),
    { keep: cwd, known: () => unknown },
  );
  await finalizeCheckpoint(checkpoint);
  const put = new Set(done.operations.map(({ path }) => path));
  return {
    applied: free.filter(({ key }) => put.has(key)).map(({ path }) => path),
    conflicts: [...conflicts, ...done.refused],
    checkpoint: put.size === 0 ? null : checkpoint.id,
  };
}

/** Keeps the new contents where the project keeps those of its snapshots: the snapshot afterwards needs them anyway. */
async function bringContents(copy: Repository, target: Repository, planned: readonly Planned[]): Promise<void> {
  const wanted = planned.flatMap(({ key, target: version }) => (version === null ? [] : [{ key, version }]));
  for (const { key, version } of wanted) {
    const [content] = await readBlobs(copy, [version.blob]);
    if (content) await keepContent(target, key, { mode: version.mode, content });
  }
}
