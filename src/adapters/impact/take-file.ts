import type { ChangeOf, Transfer } from '../../core/commands/file-change.ts';
import { FAULTS, NOTES, UNKNOWN } from './messages.ts';
import {
  allTargets,
  bucketOf,
  noteMissing,
  type Taking,
  type Target,
  takeEach,
  targetsOf,
  type Work,
} from './targets.ts';
import { type Entry, mountsBelow } from './tree.ts';

type Write = ChangeOf<'write'>;

const HARMLESS =
  /^\/dev\/(stdin|stdout|stderr|tty|null|zero|full|u?random|ptmx|fd\/\d+|pts\/\d+)$|^\/proc\/self\/fd\/\d+$/;
const CONNECTION = /^\/dev\/(?:tcp|udp)\/([^/]+)\/(.+)$/;

/** True for what swallows or shows whatever is written to it. */
function isHarmlessDevice(path: string): boolean {
  return HARMLESS.test(path);
}

/** Takes a step that writes files. */
export async function takeWrite(step: Write, taking: Taking): Promise<void> {
  for (const target of await allTargets(step.targets, taking)) {
    const address = CONNECTION.exec(target.path);
    if (address?.[1] !== undefined) taking.work.hosts.add(`${address[1]}:${address[2] ?? ''}`);
    else if (!isHarmlessDevice(target.path)) writeOne(step, target, taking.work);
  }
}

function writeOne(step: Write, target: Target, work: Work): void {
  const { tree } = work;
  if (step.makesFolders === true) makeFolderOf(target, work);
  const spot = target.path.endsWith('/') ? null : tree.writeSpot(target.path);
  if (spot === null) {
    noteMissing(work, `the folder of ${target.text}`);
    return;
  }
  const entry = tree.at(spot);
  if (entry === null) {
    if (step.onlyExisting === true) noteMissing(work, target.text);
    else create(spot, 'file', target, work);
    return;
  }
  if (entry.kind === 'folder') {
    work.notes.add(FAULTS.folder(work, target.text));
    return;
  }
  writeThere(step, entry, target, work);
}

function makeFolderOf(target: Target, work: Work): void {
  const [path, text] = [target.path, target.text].map(
    (name) => name.slice(0, Math.max(0, name.lastIndexOf('/'))) || '/',
  );
  if (path !== undefined && text !== undefined && work.tree.follow(path) === null)
    makeFolder({ ...target, path, text }, true, work);
}

function writeThere(step: Write, entry: Entry, target: Target, work: Work): void {
  if (entry.kind === 'device') work.notes.add(NOTES.device(entry.path));
  if (entry.stats !== null && entry.kind === 'file' && entry.stats.nlink > 1)
    work.notes.add(NOTES.hardLinks(target.text));
  // A file made by the line itself is counted as made.
  if (entry.stats === null) return;
  const kind = step.how === 'replace' ? 'overwrites' : 'changes';
  bucketOf(kind, target, work).add(entry.path, entry.kind, entry.stats.size);
}

/** Counts something new, and has it there for the steps that follow. */
export function create(path: string, kind: Entry['kind'], target: Pick<Target, 'isMaybe'>, work: Work, size = 0): void {
  bucketOf('creates', target, work).add(path, kind, size);
  work.tree.make(path, kind);
}

/** Takes `touch`. */
export async function takeTouch(step: ChangeOf<'touch'>, taking: Taking): Promise<void> {
  const { work } = taking;
  for (const target of await allTargets(step.targets, taking)) {
    const spot = step.noFollow ? work.tree.spot(target.path) : work.tree.writeSpot(target.path);
    const entry = spot === null ? work.tree.follow(target.path) : work.tree.at(spot);
    if (entry !== null) bucketOf('changes', target, work).add(entry.path, entry.kind);
    else if (spot === null || target.path.endsWith('/')) noteMissing(work, `the folder of ${target.text}`);
    else if (!step.onlyExisting) create(spot, 'file', target, work);
  }
}

/** Takes `mkdir`. */
export async function takeMakeFolder(step: ChangeOf<'make-folder'>, taking: Taking): Promise<void> {
  for (const target of await allTargets(step.targets, taking)) makeFolder(target, step.parents, taking.work);
}

/** Makes a folder, and those above it where they are to be made; false where that would fail. */
export function makeFolder(target: Pick<Target, 'path' | 'text' | 'isMaybe'>, parents: boolean, work: Work): boolean {
  const path = target.path.replace(/(?<!\/)\/+$/, '') || '/';
  const there = work.tree.follow(path);
  if (there !== null) {
    if (there.kind !== 'folder' || !parents) work.notes.add(FAULTS.exists(work, target.text));
    return there.kind === 'folder';
  }
  const slash = path.lastIndexOf('/');
  const above = { ...target, path: path.slice(0, slash) || '/', text: path.slice(0, slash) || '/' };
  if (parents && work.tree.follow(above.path) === null && !makeFolder(above, true, work)) return false;
  const spot = work.tree.spot(path);
  if (spot === null || work.tree.at(spot) !== null) {
    noteMissing(work, `the folder of ${target.text}`);
    return false;
  }
  create(spot, 'folder', target, work);
  return true;
}

type Delete = ChangeOf<'delete'>;

/** Takes a deletion: what goes is counted, and gone for the steps that follow. */
export async function takeDelete(step: Delete, taking: Taking): Promise<void> {
  const isAll = await takeEach(step.targets, taking, (target) => deleteOne(step, target, taking.work));
  if (!isAll) bucketOf('deletes', taking, taking.work).isCut = true;
}

async function deleteOne(step: Delete, target: Target, work: Work): Promise<void> {
  if (/(^|\/)\.\.?\/*$/.test(target.path) && step.folders !== 'only-empty') {
    work.notes.add(NOTES.rmRefuses(target.text));
    return;
  }
  const entry = target.entry ?? (target.isFound ? work.tree.at(target.path) : work.tree.look(target.path));
  if (entry === null) {
    if (step.force !== true && !target.isFound) noteMissing(work, target.text);
    return;
  }
  if (entry.kind !== 'folder') deleteFile(step, entry, target, work);
  else if (step.recursive) await deleteTree(entry, target, work);
  else await deleteFolder(step, entry, target, work);
}

function deleteFile(step: Delete, entry: Entry, target: Target, work: Work): void {
  if (step.folders === 'only-empty') {
    work.notes.add(FAULTS.notFolder(work, target.text));
    return;
  }
  const isOwn = work.tally.of('creates', target.isMaybe).undo(entry.path, entry.kind);
  if (!isOwn) bucketOf('deletes', target, work).add(entry.path, entry.kind, entry.stats?.size);
  forget(entry, target, work);
}

async function deleteTree(entry: Entry, target: Target, work: Work): Promise<void> {
  // A link with a slash behind it stays, and so does the folder that it leads to: what is in there goes.
  if (target.path.endsWith('/') && work.tree.look(target.path.replace(/(?<!\/)\/+$/, ''))?.kind === 'link') {
    for (const { name } of await work.tree.children(entry.path, entry.stats?.size)) {
      const child = work.tree.at(`${entry.path}/${name}`);
      if (child !== null) await deleteTree(child, { ...target, path: child.path }, work);
    }
    return;
  }
  if (entry.stats === null) {
    await deleteOwn(entry, target, work);
    return;
  }
  const below = mountsBelow(work.mounts, entry.path);
  const points = work.mounts.includes(entry.path) ? [entry.path, ...below] : below;
  for (const point of points) work.notes.add(NOTES.mountPoint(point));
  await bucketOf('deletes', target, work).addTree(entry, work.tree, work.pace);
  forget(entry, target, work);
}

/** A file made by the line itself goes as if it had never been; a file that the line moved or copied there is counted. */
async function deleteOwn(entry: Entry, target: Target, work: Work): Promise<void> {
  if (entry.kind === 'folder')
    for (const { name } of await work.tree.children(entry.path)) {
      const child = work.tree.at(`${entry.path}/${name}`);
      if (child !== null) await deleteTree(child, { ...target, path: child.path }, work);
    }
  if (!work.tally.of('creates', target.isMaybe).undo(entry.path, entry.kind))
    bucketOf('deletes', target, work).add(entry.path, entry.kind, entry.stats?.size);
  forget(entry, target, work);
}

async function deleteFolder(step: Delete, entry: Entry, target: Target, work: Work): Promise<void> {
  if (step.folders === 'never') {
    work.notes.add(FAULTS.folder(work, target.text));
    return;
  }
  // An entry that may stay is there still, and its folder would go after it.
  const mayBeEmpty = target.isFound && target.isMaybe;
  if (!mayBeEmpty && (await work.tree.children(entry.path, entry.stats?.size)).length > 0) {
    if (step.force !== true) work.notes.add(FAULTS.notEmpty(work, target.text));
    return;
  }
  bucketOf('deletes', target, work).add(entry.path, 'folder');
  forget(entry, target, work);
  const above = target.path.replace(/(?<!\/)\/+$/, '');
  const parent = above.slice(0, above.lastIndexOf('/'));
  const written = target.text.replace(/(?<!\/)\/+$/, '');
  if (step.parents === true && written.includes('/') && !written.startsWith('/'))
    await deleteOne(step, { ...target, path: parent, text: written.slice(0, written.lastIndexOf('/')) }, work);
}

/** An entry that may stay is still there for the next steps. */
function forget({ path, kind }: Entry, target: Target, work: Work): void {
  if (!target.isMaybe) work.tree.remove(path, kind);
}

interface Pair {
  readonly source: Target;
  readonly target: Target;
}

/** Takes a copy. */
export async function takeCopy(step: ChangeOf<'copy' | 'move'>, taking: Taking): Promise<void> {
  for (const { source, target } of await pairsOf(step, taking)) {
    const named = step.follows === 'none' ? taking.work.tree.look(source.path) : taking.work.tree.follow(source.path);
    if (named === null) noteMissing(taking.work, source.text);
    else if (named.kind === 'folder' && !step.recursive) taking.work.notes.add(NOTES.skipsFolder(source.text));
    else await copyEntry(named, target, step, taking.work);
  }
}

/** Takes a move: what goes over is counted where it was, and is where it goes to for the steps that follow. */
export async function takeMove(step: ChangeOf<'copy' | 'move'>, taking: Taking): Promise<void> {
  const { work } = taking;
  for (const { source, target } of await pairsOf(step, taking)) {
    const entry = work.tree.look(source.path);
    if (entry === null) {
      noteMissing(work, source.text);
      continue;
    }
    const spot = work.tree.spot(target.path);
    const there = spot === null ? null : work.tree.at(spot);
    if (spot === null || spot === entry.path || spot.startsWith(`${entry.path}/`)) {
      work.notes.add(NOTES.cannotMove(source.text, target.text));
      continue;
    }
    if (there !== null && !(await clear(there, entry, step, target, work))) continue;
    const bucket = bucketOf('moves', source, work);
    await bucket.addMove(entry, spot, work.tree, work.pace);
    const like = work.tree.source(entry.path);
    work.tree.make(spot, entry.kind, { like });
    work.tree.carry(entry.path, spot);
    if (!bucket.isMaybe) work.tree.remove(entry.path);
  }
}

/** Counts what a move takes the place of; false where it does not take place. */
async function clear(there: Entry, entry: Entry, step: Transfer, target: Target, work: Work): Promise<boolean> {
  if (step.keepsExisting) {
    work.notes.add(NOTES.keepsExisting(target.text));
    return false;
  }
  if (there.kind === 'folder') {
    const isEmpty = entry.kind === 'folder' && (await work.tree.children(there.path)).length === 0;
    if (!isEmpty) work.notes.add(FAULTS.exists(work, target.text));
    return isEmpty;
  }
  if (entry.kind === 'folder') {
    work.notes.add(FAULTS.file(work, target.text));
    return false;
  }
  bucketOf('overwrites', target, work).add(there.path, there.kind, there.stats?.size);
  return true;
}

/** Takes links that are made. */
export async function takeLink(step: ChangeOf<'link'>, taking: Taking): Promise<void> {
  const { work } = taking;
  for (const { source, target } of await pairsOf(step, taking)) {
    const spot = work.tree.spot(target.path);
    const there = spot === null ? null : work.tree.at(spot);
    if (spot === null) noteMissing(work, `the folder of ${target.text}`);
    else if (!step.isSymbolic && work.tree.look(source.path) === null) noteMissing(work, source.text);
    else if (there?.kind === 'folder' || (there !== null && !step.force))
      work.notes.add(FAULTS.exists(work, target.text));
    else {
      if (there === null) bucketOf('creates', target, work).add(spot, step.isSymbolic ? 'link' : 'file');
      else bucketOf('overwrites', target, work).add(spot, there.kind, there.stats?.size);
      if (step.isSymbolic) work.tree.make(spot, 'link', { leadsTo: source.text });
      else work.tree.make(spot, 'file', { like: work.tree.source(source.path) });
    }
  }
}

/** Which source goes where: into the target where it is a folder, else in its place. */
async function pairsOf(step: ChangeOf<'copy' | 'move' | 'link'>, taking: Taking): Promise<readonly Pair[]> {
  const { work } = taking;
  const sources = await allTargets(step.sources, taking);
  const [target, ...more] = await targetsOf(step.target, taking);
  if (target === undefined || more.length > 0) {
    if (more.length > 0) work.unknown.add(UNKNOWN.severalTargets(step.target.text));
    return [];
  }
  if (isHarmlessDevice(target.path)) {
    if (step.do !== 'copy' || step.recursive) work.unknown.add(UNKNOWN.deviceTarget(target.text));
    return [];
  }
  const isLinkItself = step.do === 'link' && step.noFollow && work.tree.look(target.path)?.kind === 'link';
  const there = isLinkItself ? null : work.tree.follow(target.path);
  const isInto = step.intoFolder || (there?.kind === 'folder' && !step.asTarget);
  if (!isInto && sources.length > 1) {
    if (there === null) noteMissing(work, target.text);
    else work.notes.add(FAULTS.notFolder(work, target.text));
    return [];
  }
  return sources.map((source) => {
    const inner = `${target.path.replace(/(?<!\/)\/+$/, '')}/${baseOf(source.path)}`;
    const isMaybe = source.isMaybe || target.isMaybe;
    return {
      source,
      target: {
        ...target,
        isMaybe,
        path: isInto ? inner : target.path,
        text: isInto ? `${target.text.replace(/(?<!\/)\/+$/, '')}/${baseOf(source.path)}` : target.text,
      },
    };
  });
}

function baseOf(path: string): string {
  const trimmed = path.replace(/(?<!\/)\/+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

async function copyEntry(entry: Entry, target: Target, step: Transfer, work: Work): Promise<void> {
  if (!(await work.pace.breathe())) {
    bucketOf('creates', target, work).isCut = true;
    return;
  }
  const followed = entry.kind === 'link' && step.follows === 'all' ? work.tree.follow(entry.path) : entry;
  if (followed === null) noteMissing(work, entry.path);
  else if (followed.kind === 'folder') await copyFolder(followed, target, step, work);
  else copyFile(followed, target, step, work);
}

function copyFile(entry: Entry, target: Target, step: Transfer, work: Work): void {
  const { tree } = work;
  const spot = entry.kind === 'link' ? tree.spot(target.path) : tree.writeSpot(target.path);
  if (spot === null) {
    noteMissing(work, `the folder of ${target.text}`);
    return;
  }
  const there = tree.at(spot);
  const like = tree.source(entry.path);
  if (there === null) {
    bucketOf('creates', target, work).add(spot, entry.kind, entry.stats?.size);
    tree.make(spot, entry.kind, { like });
    return;
  }
  if (there.path === entry.path) work.notes.add(NOTES.sameFile(target.text));
  else if (there.kind === 'folder') work.notes.add(FAULTS.folder(work, target.text));
  else if (!step.keepsExisting) {
    if (there.kind === 'device') work.notes.add(NOTES.device(there.path));
    bucketOf('overwrites', target, work).add(spot, there.kind, there.stats?.size);
    if (!target.isMaybe) tree.make(spot, entry.kind, { like });
  }
}

async function copyFolder(entry: Entry, target: Target, step: Transfer, work: Work): Promise<void> {
  const { tree } = work;
  const path = target.path.replace(/(?<!\/)\/+$/, '');
  const there = tree.follow(path);
  const spot = there?.path ?? tree.spot(path);
  if (there !== null && there.kind !== 'folder') {
    work.notes.add(FAULTS.file(work, target.text));
    return;
  }
  if (spot === null || spot.startsWith(`${entry.path}/`)) {
    if (spot === null) noteMissing(work, `the folder of ${target.text}`);
    else work.unknown.add(UNKNOWN.copyIntoItself(target.text));
    return;
  }
  if (there === null && step.follows === 'none') {
    await bucketOf('creates', target, work).addTree(entry, tree, work.pace, { as: spot });
    tree.make(spot, 'folder', { like: tree.source(entry.path) });
    return tree.carry(entry.path, spot);
  }
  if (there === null) create(spot, 'folder', target, work);
  for (const { name } of await tree.children(entry.path, entry.stats?.size)) {
    const child = tree.at(`${entry.path}/${name}`);
    if (child !== null)
      await copyEntry(child, { ...target, path: `${spot}/${name}`, text: `${spot}/${name}` }, step, work);
  }
}
