import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { holdsSteps, listPrivateStores, removePrivateStore } from '../../../adapters/git/object-store/private-store.ts';
import {
  findRepository,
  hasOlderSteps,
  openStore,
  type Repository,
} from '../../../adapters/git/object-store/repository.ts';
import { removeOwnerless, removeWithheld } from '../../../adapters/git/object-store/withheld.ts';
import { readAllRecords } from '../../../adapters/git/snapshot/checkpoint-record.ts';
import {
  measureUsage,
  type PruneOptions,
  type PruneOutcome,
  pruneCheckpoints,
  type StoreUsage,
} from '../../../adapters/git/snapshot/prune.ts';
import { timelineOf } from '../../../adapters/git/snapshot/timeline.ts';
import { findLogs, listSessions } from '../../../adapters/store/sessions.ts';
import { readArgs, type SubcommandArgs } from '../../../core/command-line/subcommand-args.ts';
import type { RetentionLimits } from '../../../core/session/settings.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { formatByteSize } from '../../../core/text/truncate.ts';
import { AishError } from '../../../protocol/error.ts';
import { formatTimeline } from '../screen/undo.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';

interface Context {
  readonly setup: Setup;
  readonly now: number;
  /** Width of the window; a script gets whole rows. */
  readonly columns?: number;
}

type Args = SubcommandArgs<'checkpoints'>;

/** A session whose log is younger counts as running. */
const STILL_GOING_MS = 86_400_000;

/** Runs `aish checkpoints …` and `:checkpoints …`; returns the text to print. */
export async function runCheckpoints(args: readonly string[], context: Context): Promise<string> {
  const parsed = readArgs('checkpoints', args);
  switch (parsed.action) {
    case 'list':
      return list(parsed, context);
    case 'usage':
      return usage(parsed, context);
    case 'prune':
      return prune(parsed, context);
  }
}

async function list(args: Args, { setup, now, columns }: Context): Promise<string> {
  const all = args.options.has('--all');
  const found = [];
  for (const place of await choosePlaces(args, setup)) {
    for (const { root, apart, isGone, repository } of all ? await workTreesOf(place) : [place])
      found.push({ root, apart, isGone, steps: await timelineOf(repository) });
  }
  if (isJson(args)) return JSON.stringify({ places: found });
  if (!all) return [formatTimeline(found[0]?.steps ?? [], now, columns), ...(await noteOlder(args, setup))].join('\n');
  return (
    found
      .filter(({ steps }) => steps.length > 0)
      .map(
        ({ steps, ...place }) =>
          `${escapeForDisplay(place.root)}${remarkOn(place)}\n${formatTimeline(steps, now, columns)}`,
      )
      .join('\n\n') || messages.NO_CHECKPOINTS
  );
}

/** A folder that became a repository has two lists. */
async function noteOlder({ options }: Args, setup: Setup): Promise<readonly string[]> {
  const here = options.has('--apart') ? null : await placeHere(setup);
  if (here === null || 'why' in here || !hasOlderSteps(here.repository)) return [];
  return [messages.OLDER_CHECKPOINTS];
}

async function usage(args: Args, { setup }: Context): Promise<string> {
  const stores: (Pick<CheckpointPlace, 'root' | 'apart' | 'isGone'> & StoreUsage)[] = [];
  for (const { root, apart, isGone, repository } of await (args.options.has('--all')
    ? placesOfAll(setup)
    : hereAndApart(setup))) {
    const used = await measureUsage(repository);
    if (used.steps > 0) stores.push({ root, apart, isGone, ...used });
  }
  stores.sort((one, other) => (other.bytes ?? 0) - (one.bytes ?? 0));
  const limits = retentionOf(setup);
  if (isJson(args)) return JSON.stringify({ limits, stores });
  const most = messages.formatLimits(limits.steps, formatByteSize(limits.bytes));
  if (stores.length === 0) return `${messages.NO_CHECKPOINTS_HERE}\n${most}`;
  const rows = stores.map(({ root, steps, bytes, ...place }) => [
    bytes === null ? '?' : formatByteSize(bytes),
    messages.formatCheckpoints(steps),
    `${escapeForDisplay(root)}${remarkOn({ root, ...place })}`,
  ]);
  return `${formatTable(rows)}\n${most}`;
}

function remarkOn({ root, apart, isGone }: Pick<CheckpointPlace, 'root' | 'apart' | 'isGone'>): string {
  if (isGone) return `  (${messages.FOLDER_GONE})`;
  if (!apart) return `  (${messages.IN_REPOSITORY})`;
  return existsSync(join(root, '.git')) ? `  (${messages.BEFORE_REPOSITORY})` : '';
}

async function prune(args: Args, { setup, now }: Context): Promise<string> {
  const { options: given } = args;
  const [all, isDryRun, olderThan] = [given.has('--all'), given.has('--dry-run'), given.age('--older-than')];
  const limits = retentionOf(setup);
  const recent = findLogs(setup.paths.state).filter(({ stat }) => stat.mtimeMs > now - STILL_GOING_MS);
  const options: PruneOptions = {
    limits: { ...limits, steps: Math.min(given.number('--keep') ?? limits.steps, limits.steps) },
    live: new Set(recent.map(({ id }) => id)),
    isDryRun,
    ...(olderThan === undefined ? {} : { before: now - olderThan }),
  };
  const stores: (Pick<CheckpointPlace, 'root' | 'apart'> & PruneOutcome)[] = [];
  for (const place of await choosePlaces(args, setup)) {
    const here = all ? {} : { root: place.root };
    const outcome = await pruneCheckpoints(place.repository, { ...options, ...here });
    stores.push({ root: place.root, apart: place.apart, ...(await dropWhereGone(place, outcome, options)) });
  }
  if (!isDryRun) removeOwnerless(setup.env);
  if (isJson(args)) return JSON.stringify({ dryRun: isDryRun, stores });
  return formatOutcomes(stores, isDryRun, options.limits.steps);
}

/** Deletes all checkpoints of a folder that no longer exists, once even the newest is old enough. */
async function dropWhereGone(
  place: CheckpointPlace,
  outcome: PruneOutcome,
  { before, isDryRun = false }: PruneOptions,
): Promise<PruneOutcome> {
  if (!place.isGone || before === undefined) return outcome;
  const steps = await timelineOf(place.repository);
  if (steps.some(({ at }) => at >= before)) return outcome;
  const { root, commonDirectory: directory } = place.repository;
  if (!isDryRun) {
    removePrivateStore({ root, directory });
    removeWithheld(place.repository.withheldFolder);
  }
  const last = steps.map(({ id }) => id).filter((id) => !outcome.removed.includes(id));
  const removed = [...last, ...outcome.removed];
  return { ...outcome, removed, kept: 0, places: [{ root, removed, kept: 0 }], after: 0 };
}

function formatOutcomes(
  stores: readonly (Pick<CheckpointPlace, 'root' | 'apart'> & PruneOutcome)[],
  dryRun: boolean,
  most: number,
): string {
  const changed = stores.filter(({ removed }) => removed.length > 0);
  const lines = changed.flatMap(({ places, before, after }) => {
    const freed = before === null || after === null ? null : formatByteSize(before - after);
    const lost = places.filter(({ removed }) => removed.length > 0);
    const texts = lost.map(({ root, removed, kept }) =>
      messages.formatPruned(escapeForDisplay(root), { removed: removed.length, kept }, dryRun),
    );
    if (freed === null) return texts;
    return texts.length === 1
      ? [`${texts[0]}, ${messages.formatFreed(freed)}`]
      : [...texts, messages.formatFreedInAll(freed)];
  });
  const over = stores.flatMap(({ places }) => places.filter(({ kept }) => kept > most));
  const isInGit = !dryRun && changed.some(({ apart }) => !apart);
  return [
    ...(lines.length === 0 ? [messages.NOTHING_TO_DELETE] : lines),
    ...over.map(({ root, kept }) => messages.formatOverLimit(escapeForDisplay(root), kept, most)),
    ...(isInGit ? [messages.SPACE_FREED_LATER] : []),
  ].join('\n');
}

async function choosePlaces({ options }: Args, setup: Setup): Promise<readonly CheckpointPlace[]> {
  if (options.has('--all')) return placesOfAll(setup);
  const here = await placeHere(setup, options.has('--apart'));
  if ('why' in here) throw new AishError('checkpoint.unavailable', here.why);
  return [here];
}

async function hereAndApart(setup: Setup): Promise<readonly CheckpointPlace[]> {
  const here = await placeHere(setup);
  return [...('why' in here || here.apart ? [] : [here]), ...placesApart(setup)];
}

function isJson({ options }: Args): boolean {
  return options.get('--output') === 'json';
}

/** A place that steps are kept of. */
interface CheckpointPlace {
  readonly root: string;
  readonly repository: Repository;
  /** The steps are kept apart from the tree: it is no repository. */
  readonly apart: boolean;
  /** The folder is not there any more, or its disk is not. */
  readonly isGone: boolean;
}

/** This place, or why none can be here. */
async function placeHere(
  { cwd, env }: Pick<Setup, 'cwd' | 'env'>,
  apart = false,
): Promise<CheckpointPlace | { readonly why: string }> {
  const repository = await findRepository(cwd, { env, apart });
  return 'why' in repository ? repository : toPlace(repository);
}

/** The stores apart from their trees that hold steps. */
function placesApart({ env }: Pick<Setup, 'env'>): readonly CheckpointPlace[] {
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
async function placesOfAll(setup: Setup): Promise<readonly CheckpointPlace[]> {
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
async function workTreesOf(place: CheckpointPlace): Promise<readonly CheckpointPlace[]> {
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
