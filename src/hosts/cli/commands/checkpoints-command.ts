import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  measureUsage,
  type PrunedPlace,
  type PruneOptions,
  type PruneOutcome,
  pruneCheckpoints,
  type StoreUsage,
} from '../../../adapters/git/prune.ts';
import { hasOlderSteps } from '../../../adapters/git/repository.ts';
import { timelineOf } from '../../../adapters/git/timeline.ts';
import { removePrivateStore } from '../../../adapters/private-store/private-store.ts';
import { findLogs } from '../../../adapters/store/sessions.ts';
import { formatByteSize } from '../../../core/byte-size.ts';
import { escapeForDisplay } from '../../../core/sanitize.ts';
import { AishError } from '../../../protocol/error.ts';
import { formatTable } from '../reports.ts';
import type { Setup } from '../setup.ts';
import { type CheckpointPlace, placeHere, placesApart, placesOfAll, workTreesOf } from './checkpoint-places.ts';
import { type CheckpointsArgs, parseCheckpointsArgs } from './checkpoints-args.ts';
import { formatTimeline } from './undo-report.ts';

interface Context {
  readonly setup: Setup;
  readonly now: number;
}

/** A session whose log was written to since then counts as going on. */
const STILL_GOING_MS = 86_400_000;

/** Runs `aish checkpoints …`; the answer is what is printed. */
export async function runCheckpoints(args: readonly string[], context: Context): Promise<string> {
  const parsed = parseCheckpointsArgs(args);
  switch (parsed.action) {
    case 'list':
      return list(parsed, context);
    case 'usage':
      return usage(parsed, context);
    case 'prune':
      return prune(parsed, context);
  }
}

async function list(args: CheckpointsArgs, { setup, now }: Context): Promise<string> {
  const { all, output } = args;
  const found = [];
  for (const place of await choosePlaces(args, setup)) {
    for (const { root, apart, isGone, repository } of all ? await workTreesOf(place) : [place])
      found.push({ root, apart, isGone, steps: await timelineOf(repository) });
  }
  if (output === 'json') return toJson({ places: found });
  if (!all) return [formatTimeline(found[0]?.steps ?? [], now), ...(await tellOlder(args, setup))].join('\n');
  return (
    found
      .filter(({ steps }) => steps.length > 0)
      .map(({ steps, ...place }) => `${escapeForDisplay(place.root)}${remarkOn(place)}\n${formatTimeline(steps, now)}`)
      .join('\n\n') || 'no checkpoints anywhere yet'
  );
}

/** A folder that became a repository has two lists. */
async function tellOlder({ apart }: CheckpointsArgs, setup: Setup): Promise<readonly string[]> {
  const here = apart ? null : await placeHere(setup);
  if (here === null || 'why' in here || !hasOlderSteps(here.repository)) return [];
  return ['steps of the time when this was no repository: aish checkpoints --apart'];
}

async function usage({ all, output }: CheckpointsArgs, { setup }: Context): Promise<string> {
  const stores: (Pick<CheckpointPlace, 'root' | 'apart' | 'isGone'> & StoreUsage)[] = [];
  for (const { root, apart, isGone, repository } of all ? await placesOfAll(setup) : await hereAndApart(setup)) {
    const used = await measureUsage(repository);
    if (used.steps > 0) stores.push({ root, apart, isGone, ...used });
  }
  stores.sort((one, other) => (other.bytes ?? 0) - (one.bytes ?? 0));
  const limits = limitsOf(setup);
  if (output === 'json') return toJson({ limits, stores });
  const most = `the most for one place: ${limits.steps} steps, ${formatByteSize(limits.bytes)}`;
  if (stores.length === 0) return `no checkpoints are kept here\n${most}`;
  const rows = stores.map(({ root, steps, bytes, ...place }) => [
    bytes === null ? '?' : formatByteSize(bytes),
    `${steps} ${steps === 1 ? 'step' : 'steps'}`,
    `${escapeForDisplay(root)}${remarkOn({ root, ...place })}`,
  ]);
  return `${formatTable(rows)}\n${most}`;
}

function remarkOn({ root, apart, isGone }: Pick<CheckpointPlace, 'root' | 'apart' | 'isGone'>): string {
  if (isGone) return '  (not there now)';
  if (!apart) return '  (in the repository)';
  return existsSync(join(root, '.git')) ? '  (apart, of the time when it was no repository)' : '';
}

async function prune(parsed: CheckpointsArgs, { setup, now }: Context): Promise<string> {
  const limits = limitsOf(setup);
  const recent = findLogs(setup.paths.state).filter(({ stat }) => stat.mtimeMs > now - STILL_GOING_MS);
  const options: PruneOptions = {
    limits: { ...limits, steps: Math.min(parsed.keep ?? limits.steps, limits.steps) },
    live: new Set(recent.map(({ id }) => id)),
    isRehearsal: parsed.dryRun,
    ...(parsed.olderThan === undefined ? {} : { before: now - parsed.olderThan }),
  };
  const stores: (Pick<CheckpointPlace, 'root' | 'apart'> & PruneOutcome)[] = [];
  for (const place of await choosePlaces(parsed, setup)) {
    const here = parsed.all ? {} : { root: place.root };
    const outcome = await pruneCheckpoints(place.repository, { ...options, ...here });
    stores.push({ root: place.root, apart: place.apart, ...(await dropWhereGone(place, outcome, options)) });
  }
  if (parsed.output === 'json') return toJson({ dryRun: parsed.dryRun, stores });
  return formatPruned(stores, parsed.dryRun, options.limits.steps);
}

/** Of a folder that is not there any more not even the newest step stays, once it is old enough. */
async function dropWhereGone(
  place: CheckpointPlace,
  outcome: PruneOutcome,
  { before, isRehearsal = false }: PruneOptions,
): Promise<PruneOutcome> {
  if (!place.isGone || before === undefined) return outcome;
  const steps = await timelineOf(place.repository);
  if (steps.some(({ at }) => at >= before)) return outcome;
  const { root, commonDirectory: directory } = place.repository;
  if (!isRehearsal) removePrivateStore({ root, directory });
  const last = steps.map(({ id }) => id).filter((id) => !outcome.removed.includes(id));
  const removed = [...last, ...outcome.removed];
  return { ...outcome, removed, kept: 0, places: [{ root, removed, kept: 0 }], after: 0 };
}

function formatPruned(
  stores: readonly (Pick<CheckpointPlace, 'root' | 'apart'> & PruneOutcome)[],
  dryRun: boolean,
  most: number,
): string {
  const changed = stores.filter(({ removed }) => removed.length > 0);
  const lines = changed.flatMap(({ places, before, after }) => {
    const freed = before === null || after === null ? null : `${formatByteSize(before - after)} less`;
    const lost = places.filter(({ removed }) => removed.length > 0);
    const texts = lost.map((place) => formatPlace(place, dryRun));
    if (freed === null) return texts;
    return texts.length === 1 ? [`${texts[0]}, ${freed}`] : [...texts, `${freed} in all`];
  });
  const over = stores.flatMap(({ places }) => places.filter(({ kept }) => kept > most));
  const isInGit = !dryRun && changed.some(({ apart }) => !apart);
  return [
    ...(lines.length === 0 ? ['no step goes'] : lines),
    ...over.map(
      ({ root, kept }) =>
        `${escapeForDisplay(root)}: ${kept} and not ${most} stay, since the newest step does with its undos and redos`,
    ),
    ...(isInGit
      ? ['in a repository the space is free with a prune a minute from now, or with the next gc of git']
      : []),
  ].join('\n');
}

function formatPlace({ root, removed, kept }: PrunedPlace, dryRun: boolean): string {
  const verb = dryRun ? 'would go' : removed.length === 1 ? 'is gone' : 'are gone';
  const steps = `${removed.length} ${removed.length === 1 ? 'step' : 'steps'}`;
  return `${escapeForDisplay(root)}: ${steps} ${verb}, ${kept} ${dryRun ? 'would stay' : 'stay'}`;
}

async function choosePlaces({ all, apart }: CheckpointsArgs, setup: Setup): Promise<readonly CheckpointPlace[]> {
  if (all) return placesOfAll(setup);
  const here = await placeHere(setup, apart);
  if ('why' in here) throw new AishError('checkpoint.unavailable', here.why);
  return [here];
}

async function hereAndApart(setup: Setup): Promise<readonly CheckpointPlace[]> {
  const here = await placeHere(setup);
  return [...('why' in here || here.apart ? [] : [here]), ...placesApart(setup)];
}

function limitsOf({ loaded }: Setup) {
  const { keep, max_disk } = loaded.config.checkpoint;
  return { steps: keep, bytes: max_disk };
}

function toJson(value: unknown): string {
  return JSON.stringify(value);
}
