import type { Step, Transfer } from '../../core/blast/plan.ts';
import { allTargets, bucketOf, type Taking, type Target, targetsOf, tellMissing, type Work } from './ground-work.ts';
import { create, isHarmlessDevice, makeFolder } from './take-write.ts';
import type { Entry } from './tree.ts';

type Link = Extract<Step, { readonly do: 'link' }>;

interface Pair {
  readonly source: Target;
  readonly target: Target;
}

/** Takes a copy. */
export async function takeCopy(step: Transfer, taking: Taking): Promise<void> {
  for (const { source, target } of await pairsOf(step, taking)) {
    const named = step.follows === 'none' ? taking.work.tree.look(source.path) : taking.work.tree.follow(source.path);
    if (named === null) tellMissing(taking.work, source.text);
    else if (named.kind === 'folder' && step.recursive !== true)
      taking.work.notes.add(`${source.text} is a folder: it is passed over`);
    else await copyEntry(named, target, step, taking.work);
  }
}

/** Takes a move: what goes over is counted where it was, and is where it goes to for the steps that follow. */
export async function takeMove(step: Transfer, taking: Taking): Promise<void> {
  const { work } = taking;
  for (const { source, target } of await pairsOf(step, taking)) {
    const entry = work.tree.look(source.path);
    if (entry === null) {
      tellMissing(work, source.text);
      continue;
    }
    const spot = work.tree.spot(target.path);
    const there = spot === null ? null : work.tree.at(spot);
    if (spot === null || spot === entry.path || spot.startsWith(`${entry.path}/`)) {
      work.notes.add(`${source.text} cannot be moved to ${target.text}`);
      continue;
    }
    if (there !== null && !(await clear(there, entry, step, target, work))) continue;
    const bucket = bucketOf('moves', step.unsure === true && there !== null ? { isMaybe: true } : source, work);
    await bucket.addMove(entry, spot, work.tree, work.pace);
    const like = work.tree.source(entry.path);
    work.tree.make(spot, entry.kind, { like });
    work.tree.carry(entry.path, spot);
    if (!bucket.isMaybe) work.tree.remove(entry.path);
  }
}

/** Counts what a move takes the place of; false where it does not take place. */
async function clear(there: Entry, entry: Entry, step: Transfer, target: Target, work: Work): Promise<boolean> {
  if (step.careful === true) {
    work.notes.add(`${target.text} exists: nothing is moved over it`);
    return false;
  }
  if (there.kind === 'folder') {
    const isEmpty = entry.kind === 'folder' && (await work.tree.children(there.path)).length === 0;
    if (!isEmpty) work.notes.add(`${target.text} is in the way: that would fail`);
    return isEmpty;
  }
  if (entry.kind === 'folder') {
    work.notes.add(`${target.text} is a file: that would fail`);
    return false;
  }
  if (step.backup === true) work.unknown.add(`under which name ${target.text} is kept`);
  bucketOf('overwrites', step.unsure === true ? { isMaybe: true } : target, work).add(
    there.path,
    there.kind,
    there.stats?.size,
  );
  return true;
}

/** Takes links that are made. */
export async function takeLink(step: Link, taking: Taking): Promise<void> {
  const { work } = taking;
  for (const { source, target } of await pairsOf(step, taking)) {
    const spot = work.tree.spot(target.path);
    const there = spot === null ? null : work.tree.at(spot);
    if (spot === null) tellMissing(work, `the folder of ${target.text}`);
    else if (!step.isSymbolic && work.tree.look(source.path) === null) tellMissing(work, source.text);
    else if (
      there?.kind === 'folder' ||
      (there !== null && !step.force && step.backup !== true && step.unsure !== true)
    )
      work.notes.add(`${target.text} exists: that would fail`);
    else {
      if (there === null) bucketOf('creates', target, work).add(spot, step.isSymbolic ? 'link' : 'file');
      else
        bucketOf('overwrites', step.unsure === true ? { isMaybe: true } : target, work).add(
          spot,
          there.kind,
          there.stats?.size,
        );
      if (step.isSymbolic) work.tree.make(spot, 'link', { leadsTo: source.text });
      else work.tree.make(spot, 'file', { like: work.tree.source(source.path) });
    }
  }
}

/** Which source goes where: into the target where it is a folder, else in its place. */
async function pairsOf(step: Transfer & { readonly noFollow?: boolean }, taking: Taking): Promise<readonly Pair[]> {
  const { work } = taking;
  const sources = await allTargets(step.sources, taking);
  const [target, ...more] = await targetsOf(step.target, taking);
  if (target === undefined || more.length > 0) {
    if (more.length > 0) work.unknown.add(`${step.target.text} may be several things`);
    return [];
  }
  if (isHarmlessDevice(target.path)) {
    if ('noFollow' in step || step.recursive === true) work.unknown.add(`what becomes of ${target.text}`);
    return [];
  }
  const isLinkItself = step.noFollow === true && work.tree.look(target.path)?.kind === 'link';
  const there = isLinkItself ? null : work.tree.follow(target.path);
  const isInto = step.intoFolder === true || (there?.kind === 'folder' && step.asTarget !== true);
  if (step.makesWay === true && there === null)
    makeFolder({ ...target, path: parentOf(target.path), text: parentOf(target.text) }, true, work);
  if (step.makesLast === true)
    return sources.flatMap((source) => pairSlashed(source, target, sources.length > 1, work));
  if (step.parents === true) {
    if (step.parents) work.unknown.add(`which folders are made in ${target.text}`);
    return [];
  }
  if (!isInto && sources.length > 1) {
    if (there === null) tellMissing(work, target.text);
    else work.notes.add(`${target.text} is no folder: that would fail`);
    return [];
  }
  return sources.map((source) => {
    const inner = `${target.path.replace(/\/+$/, '')}/${baseOf(source.path)}`;
    const isMaybe = source.isMaybe || target.isMaybe;
    return {
      source,
      target: {
        ...target,
        isMaybe,
        path: isInto ? inner : target.path,
        text: isInto ? `${target.text.replace(/\/+$/, '')}/${baseOf(source.path)}` : target.text,
      },
    };
  });
}

/** With rsync, a slash behind a folder means what is in it; a missing last folder is made. */
function pairSlashed(source: Target, target: Target, isOneOfMany: boolean, work: Work): readonly Pair[] {
  const isFolder = work.tree.look(source.path.replace(/\/+$/, ''))?.kind === 'folder';
  const takesContent = source.path.endsWith('/') || source.path.endsWith('/.');
  const there = work.tree.follow(target.path);
  if (takesContent) return [{ source, target }];
  const isInto = isFolder || isOneOfMany || there?.kind === 'folder' || target.path.endsWith('/');
  if (isInto && there === null) makeFolder(target, false, work);
  return [
    {
      source,
      target: isInto ? { ...target, path: `${target.path.replace(/\/+$/, '')}/${baseOf(source.path)}` } : target,
    },
  ];
}

function baseOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

function parentOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed.slice(0, Math.max(0, trimmed.lastIndexOf('/'))) || '/';
}

async function copyEntry(entry: Entry, target: Target, step: Transfer, work: Work): Promise<void> {
  if (!(await work.pace.breathe())) {
    bucketOf('creates', target, work).isCut = true;
    return;
  }
  if (entry.kind === 'link' && step.skipsLinks === true) return;
  const followed = entry.kind === 'link' && step.follows === 'all' ? work.tree.follow(entry.path) : entry;
  if (followed === null) tellMissing(work, entry.path);
  else if (followed.kind === 'folder') await copyFolder(followed, target, step, work);
  else copyFile(followed, target, step, work);
}

function copyFile(entry: Entry, target: Target, step: Transfer, work: Work): void {
  const { tree } = work;
  const spot = step.fresh === true || entry.kind === 'link' ? tree.spot(target.path) : tree.writeSpot(target.path);
  if (spot === null) {
    tellMissing(work, `the folder of ${target.text}`);
    return;
  }
  const there = tree.at(spot);
  const like = tree.source(entry.path);
  if (there === null) {
    bucketOf('creates', target, work).add(spot, entry.kind, entry.stats?.size);
    tree.make(spot, entry.kind, { like });
    return;
  }
  if (there.path === entry.path) work.notes.add(`${target.text} is the same file: that would fail`);
  else if (there.kind === 'folder') work.notes.add(`${target.text} is a folder: that would fail`);
  else if (step.careful !== true && !(step.quick === true && isSame(entry, there))) {
    if (there.kind === 'device') work.notes.add(`writes to the device ${there.path}`);
    if (step.backup === true) work.unknown.add(`under which name ${target.text} is kept`);
    bucketOf('overwrites', step.unsure === true ? { isMaybe: true } : target, work).add(
      spot,
      there.kind,
      there.stats?.size,
    );
    if (step.unsure !== true) tree.make(spot, entry.kind, { like });
  }
}

/** Same size and same second: rsync leaves it alone. */
function isSame(one: Entry, other: Entry): boolean {
  if (one.stats === null || other.stats === null || one.kind !== other.kind) return false;
  return (
    one.stats.size === other.stats.size &&
    Math.floor(one.stats.mtimeMs / 1000) === Math.floor(other.stats.mtimeMs / 1000)
  );
}

async function copyFolder(entry: Entry, target: Target, step: Transfer, work: Work): Promise<void> {
  const { tree } = work;
  const path = target.path.replace(/\/+$/, '');
  const there = tree.follow(path);
  const spot = there?.path ?? tree.spot(path);
  if (there !== null && there.kind !== 'folder') {
    work.notes.add(`${target.text} is a file: that would fail`);
    return;
  }
  if (spot === null || spot.startsWith(`${entry.path}/`)) {
    if (spot === null) tellMissing(work, `the folder of ${target.text}`);
    else work.unknown.add(`how much of ${target.text} is copied into itself`);
    return;
  }
  const isPlain = step.follows === 'none' && step.skipsLinks !== true;
  if (there === null && isPlain) {
    await bucketOf('creates', target, work).addTree(entry, tree, work.pace, { as: spot });
    tree.make(spot, 'folder', { like: tree.source(entry.path) });
    tree.carry(entry.path, spot);
    return;
  }
  if (there === null) create(spot, 'folder', target, work);
  const names = new Set<string>();
  for (const { name } of await tree.children(entry.path, entry.stats?.size)) {
    names.add(name);
    const child = tree.at(`${entry.path}/${name}`);
    if (child !== null)
      await copyEntry(child, { ...target, path: `${spot}/${name}`, text: `${spot}/${name}` }, step, work);
  }
  if (step.mirrors === true) await deleteOthers(spot, names, target, work);
}

async function deleteOthers(folder: string, names: ReadonlySet<string>, target: Target, work: Work): Promise<void> {
  for (const { name } of await work.tree.children(folder)) {
    if (names.has(name)) continue;
    const entry = work.tree.at(`${folder}/${name}`);
    if (entry === null) continue;
    await bucketOf('deletes', target, work).addTree(entry, work.tree, work.pace);
    if (!target.isMaybe) work.tree.remove(entry.path);
  }
}

/** Takes `gzip` and its kin: one file in place of another. */
export async function takePack(step: Extract<Step, { readonly do: 'pack' }>, taking: Taking): Promise<void> {
  const { work } = taking;
  for (const target of await allTargets(step.targets, taking)) {
    const entry = work.tree.look(
      step.unpacks && !target.path.endsWith(step.ending) && work.tree.look(target.path) === null
        ? target.path + step.ending
        : target.path,
    );
    if (entry === null) {
      tellMissing(work, target.text);
      continue;
    }
    const to = packedName(entry.path, step);
    if (entry.kind !== 'file' || to === null) {
      work.notes.add(`${target.text} is passed over`);
      continue;
    }
    const there = work.tree.at(to);
    const isAsked = there !== null && !step.force;
    const place = isAsked ? { isMaybe: true } : target;
    if (there === null) create(to, 'file', place, work);
    else bucketOf('overwrites', place, work).add(to, there.kind, there.stats?.size);
    if (step.keeps) continue;
    bucketOf('deletes', place, work).add(entry.path, entry.kind, entry.stats?.size);
    if (!place.isMaybe) work.tree.remove(entry.path);
  }
}

function packedName(path: string, { ending, unpacks }: Extract<Step, { readonly do: 'pack' }>): string | null {
  if (!unpacks) return path.endsWith(ending) ? null : path + ending;
  if (path.endsWith(ending)) return path.slice(0, -ending.length);
  const [, base] = /^(.*)\.(?:tgz|tbz2?|txz)$/.exec(path) ?? [];
  return base === undefined ? null : `${base}.tar`;
}
