import { existsSync, realpathSync } from 'node:fs';
import { holdsSteps, listPrivateStores } from '../../../adapters/git/object-store/private-store.ts';
import { findRepository, openStore, type Repository } from '../../../adapters/git/object-store/repository.ts';
import { readAllRecords } from '../../../adapters/git/snapshot/checkpoint-record.ts';
import { listSessions } from '../../../adapters/store/sessions.ts';
import type { RetentionLimits } from '../../../core/session/settings.ts';
import type { Setup } from '../setup/setup.ts';

/** A place that steps are kept of. */
export interface CheckpointPlace {
  readonly root: string;
  readonly repository: Repository;
  /** The steps are kept apart from the tree: it is no repository. */
  readonly apart: boolean;
  /** The folder is not there any more, or its disk is not. */
  readonly isGone: boolean;
}

/** This place, or why none can be here. */
export async function placeHere(
  { cwd, env }: Pick<Setup, 'cwd' | 'env'>,
  apart = false,
): Promise<CheckpointPlace | { readonly why: string }> {
  const repository = await findRepository(cwd, { env, apart });
  return 'why' in repository ? repository : toPlace(repository);
}

/** The stores apart from their trees that hold steps. */
export function placesApart({ env }: Pick<Setup, 'env'>): readonly CheckpointPlace[] {
  return listPrivateStores(env)
    .filter(({ directory }) => holdsSteps(directory))
    .map((store) => {
      const repository = openStore(store, { env });
      if (existsSync(store.root)) return { ...toPlace(repository), isGone: false };
      // Git runs in a folder that is there.
      const place = { ...repository.place, cwd: store.directory };
      return { ...toPlace(repository), repository: { ...repository, place }, isGone: true };
    });
}

/** This place, the stores apart, and all repositories that sessions were begun in; each once. */
export async function placesOfAll(setup: Setup): Promise<readonly CheckpointPlace[]> {
  const places = new Map<string, CheckpointPlace>();
  const folders = new Set([setup.cwd, ...listSessions(setup.paths.state).flatMap(({ cwd }) => cwd ?? [])]);
  for (const folder of folders) {
    if (!existsSync(folder)) continue;
    const place = await placeHere({ ...setup, cwd: realpathSync(folder) });
    if (!('why' in place) && !place.apart) places.set(place.repository.commonDirectory, place);
  }
  return [...places.values(), ...placesApart(setup)];
}

/** The work trees of a place that steps are kept of: of a repository the linked ones, too, and those that are gone. */
export async function workTreesOf(place: CheckpointPlace): Promise<readonly CheckpointPlace[]> {
  if (place.apart) return [place];
  const roots = new Set((await readAllRecords(place.repository)).map(({ before }) => before.note.root));
  return [...roots].sort().map((root) => {
    // Git runs where the place is; only what was kept for that root counts.
    return { ...place, root, repository: { ...place.repository, root }, isGone: !existsSync(root) };
  });
}

/** How many steps of a place are kept, and how much of the disk they take, as it is configured. */
export function retentionOf({ loaded }: Pick<Setup, 'loaded'>): RetentionLimits {
  const { keep, max_disk } = loaded.config.checkpoint;
  return { steps: keep, bytes: max_disk };
}

function toPlace(repository: Repository): CheckpointPlace {
  return { root: repository.root, repository, apart: repository.place.env !== undefined, isGone: false };
}
