import type { Step } from '../../core/blast/plan.ts';
import { bucketOf, type Taking, type Target, takeEach, tellMissing, type Work } from './ground-work.ts';
import { mountsBelow } from './mounts.ts';
import type { Entry } from './tree.ts';

type Delete = Extract<Step, { readonly do: 'delete' }>;

/** Takes a deletion: what goes is counted, and gone for the steps that follow. */
export async function takeDelete(step: Delete, taking: Taking): Promise<void> {
  const isAll = await takeEach(step.targets, taking, (target) => deleteOne(step, target, taking.work));
  if (!isAll) bucketOf('deletes', taking, taking.work).isCut = true;
}

async function deleteOne(step: Delete, target: Target, work: Work): Promise<void> {
  if (/(^|\/)\.\.?\/*$/.test(target.path) && step.folders !== 'only-empty') {
    work.notes.add(`${target.text} is not deleted: rm refuses that`);
    return;
  }
  const entry = target.entry ?? (target.isFound ? work.tree.at(target.path) : work.tree.look(target.path));
  if (entry === null) {
    if (step.force !== true && !target.isFound) tellMissing(work, target.text);
    return;
  }
  if (entry.kind !== 'folder') deleteFile(step, entry, target, work);
  else if (step.recursive) await deleteTree(entry, target, work);
  else await deleteFolder(step, entry, target, work);
}

function deleteFile(step: Delete, entry: Entry, target: Target, work: Work): void {
  if (step.folders === 'only-empty') {
    work.notes.add(`${target.text} is no folder: that would fail`);
    return;
  }
  const isOwn = work.tally.of('creates', target.isMaybe).undo(entry.path, entry.kind);
  if (!isOwn) bucketOf('deletes', target, work).addEntry(entry);
  forget(entry, target, work);
}

async function deleteTree(entry: Entry, target: Target, work: Work): Promise<void> {
  // A link with a slash behind it stays, and so does the folder that it leads to: what is in there goes.
  if (target.path.endsWith('/') && work.tree.look(target.path.replace(/\/+$/, ''))?.kind === 'link') {
    for (const one of await work.tree.children(entry.path, entry.stats?.size)) {
      const child = work.tree.childAt(entry.path, one);
      if (child !== null) await deleteTree(child, { ...target, path: child.path }, work);
    }
    return;
  }
  if (entry.stats === null) {
    await deleteOwn(entry, target, work);
    return;
  }
  const below = mountsBelow(work.mounts, entry.path);
  const points = work.mounts.points.includes(entry.path) ? [entry.path, ...below] : below;
  for (const point of points) work.notes.add(`${point} is a mount point: what is in it goes, and it stays itself`);
  await bucketOf('deletes', target, work).addTree(entry, work.tree, work.pace);
  forget(entry, target, work);
}

/** What the line has made itself goes as if it had never been; what it has moved or copied there is counted. */
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
    work.notes.add(`${target.text} is a folder: that would fail`);
    return;
  }
  // What maybe goes is there still, and its folder would go after it.
  const mayBeEmpty = target.isFound && target.isMaybe;
  if (!mayBeEmpty && (await work.tree.children(entry.path, entry.stats?.size)).length > 0) {
    if (step.force !== true) work.notes.add(`${target.text} is not empty: that would fail`);
    return;
  }
  bucketOf('deletes', target, work).add(entry.path, 'folder');
  forget(entry, target, work);
  const above = target.path.replace(/\/+$/, '');
  const parent = above.slice(0, above.lastIndexOf('/'));
  const written = target.text.replace(/\/+$/, '');
  if (step.parents === true && written.includes('/') && !written.startsWith('/'))
    await deleteOne(step, { ...target, path: parent, text: written.slice(0, written.lastIndexOf('/')) }, work);
}

/** What may stay is still there for the steps that follow. */
function forget({ path, kind }: Entry, target: Target, work: Work): void {
  if (!target.isMaybe) work.tree.remove(path, kind);
}
