import type { Step } from '../../core/blast/plan.ts';
import { modeAfter } from './file-mode.ts';
import { allTargets, bucketOf, type Taking, type Target, tellMissing, type Work } from './ground-work.ts';
import type { Entry } from './tree.ts';

type Write = Extract<Step, { readonly do: 'write' }>;

const HARMLESS =
  /^\/dev\/(stdin|stdout|stderr|tty|null|zero|full|u?random|ptmx|fd\/\d+|pts\/\d+)$|^\/proc\/self\/fd\/\d+$/;
const CONNECTION = /^\/dev\/(?:tcp|udp)\/([^/]+)\/(.+)$/;

/** True for what swallows or shows whatever is written to it. */
export function isHarmlessDevice(path: string): boolean {
  return HARMLESS.test(path);
}

/** Takes a step that writes files. */
export async function takeWrite(step: Write, taking: Taking): Promise<void> {
  for (const target of await allTargets(step.targets, taking)) {
    const address = CONNECTION.exec(target.path);
    if (address?.[1] !== undefined) taking.work.hosts.add(`${address[1]}:${address[2] ?? ''}`);
    else if (!isHarmlessDevice(target.path)) writeOne(step, within(step, target, taking.work), taking.work);
  }
}

function within({ within: name }: Write, target: Target, { tree }: Work): Target {
  if (name === undefined || tree.follow(target.path)?.kind !== 'folder') return target;
  return { ...target, path: `${target.path}/${name}`, text: `${target.text}/${name}` };
}

function writeOne(step: Write, target: Target, work: Work): void {
  const { tree } = work;
  if (step.makesFolders === true) makeFolderOf(target, work);
  const spot = target.path.endsWith('/')
    ? null
    : step.replacesLink === true
      ? tree.spot(target.path)
      : tree.writeSpot(target.path);
  if (spot === null) {
    tellMissing(work, `the folder of ${target.text}`);
    return;
  }
  const entry = tree.at(spot);
  if (entry === null) {
    if (step.onlyExisting === true) tellMissing(work, target.text);
    else create(spot, 'file', target, work);
    return;
  }
  if (step.onlyMissing === true) {
    if (step.orBeside === true) work.unknown.add(`which number is put behind ${target.text}, which exists`);
    return;
  }
  if (entry.kind === 'folder') {
    work.notes.add(`${target.text} is a folder: that would fail`);
    return;
  }
  if (step.backup !== undefined) copyAside(entry, `${spot}${step.backup}`, target, work);
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
  if (entry.kind === 'device') work.notes.add(`writes to the device ${entry.path}`);
  if (entry.stats !== null && entry.kind === 'file' && entry.stats.nlink > 1 && step.replacesLink !== true)
    work.notes.add(`${target.text} has other names, and changes under them too`);
  const isOwn = entry.stats === null;
  if (!isOwn)
    bucketOf(step.how === 'replace' ? 'overwrites' : 'changes', target, work).add(
      entry.path,
      entry.kind,
      entry.stats?.size,
    );
  if (step.replacesLink === true && entry.kind === 'link') work.tree.make(entry.path, 'file');
}

function copyAside(entry: Entry, path: string, target: Target, work: Work): void {
  const there = work.tree.at(path);
  if (there === null) create(path, 'file', target, work, entry.stats?.size);
  else bucketOf('overwrites', target, work).add(path, there.kind, there.stats?.size);
}

/** Counts something new, and has it there for the steps that follow. */
export function create(path: string, kind: Entry['kind'], target: Pick<Target, 'isMaybe'>, work: Work, size = 0): void {
  bucketOf('creates', target, work).add(path, kind, size);
  work.tree.make(path, kind);
}

/** Takes `touch`. */
export async function takeTouch(step: Extract<Step, { readonly do: 'touch' }>, taking: Taking): Promise<void> {
  const { work } = taking;
  for (const target of await allTargets(step.targets, taking)) {
    const spot = step.noFollow ? work.tree.spot(target.path) : work.tree.writeSpot(target.path);
    const entry = spot === null ? work.tree.follow(target.path) : work.tree.at(spot);
    if (entry !== null) bucketOf('changes', target, work).add(entry.path, entry.kind);
    else if (spot === null || target.path.endsWith('/')) tellMissing(work, `the folder of ${target.text}`);
    else if (!step.onlyExisting) create(spot, 'file', target, work);
  }
}

/** Takes `mkdir`. */
export async function takeMakeFolder(
  step: Extract<Step, { readonly do: 'make-folder' }>,
  taking: Taking,
): Promise<void> {
  for (const target of await allTargets(step.targets, taking)) makeFolder(target, step.parents, taking.work);
}

/** Makes a folder, and those above it where they are to be made; false where that would fail. */
export function makeFolder(target: Pick<Target, 'path' | 'text' | 'isMaybe'>, parents: boolean, work: Work): boolean {
  const path = target.path.replace(/\/+$/, '') || '/';
  const there = work.tree.follow(path);
  if (there !== null) {
    if (there.kind !== 'folder' || !parents) work.notes.add(`${target.text} exists already: that would fail`);
    return there.kind === 'folder';
  }
  const slash = path.lastIndexOf('/');
  const above = { ...target, path: path.slice(0, slash) || '/', text: path.slice(0, slash) || '/' };
  if (parents && work.tree.follow(above.path) === null && !makeFolder(above, true, work)) return false;
  const spot = work.tree.spot(path);
  if (spot === null || work.tree.at(spot) !== null) {
    tellMissing(work, `the folder of ${target.text}`);
    return false;
  }
  create(spot, 'folder', target, work);
  return true;
}

/** Takes `chmod`, `chown` and `chgrp`. */
export async function takeAttributes(
  step: Extract<Step, { readonly do: 'attributes' }>,
  taking: Taking,
): Promise<void> {
  const { work } = taking;
  const { mode } = step;
  const changes = mode === undefined ? undefined : (entry: Entry): boolean => changesMode(mode, entry);
  for (const target of await allTargets(step.targets, taking)) {
    const entry = step.noFollow ? work.tree.look(target.path) : work.tree.follow(target.path);
    if (entry === null) tellMissing(work, target.text);
    else {
      const counting = changes === undefined ? {} : { only: changes, noLinks: true };
      const bucket = bucketOf('changes', target, work);
      if (step.recursive) await bucket.addTree(entry, work.tree, work.pace, counting);
      else if (changes === undefined || changes(entry)) bucket.add(entry.path, entry.kind);
    }
  }
}

function changesMode(mode: string, entry: Entry): boolean {
  if (entry.kind === 'link') return false;
  if (entry.stats === null) return true;
  const after = modeAfter(mode, entry.stats.mode & 0o7777, entry.kind === 'folder');
  return after === null || after !== (entry.stats.mode & 0o7777);
}
