import type { Step } from '../../core/blast/plan.ts';
import { LARGEST_ARCHIVE, type Member, readArchive } from './archive-names.ts';
import { bucketOf, type Taking, type Target, targetsOf, tellMissing, type Work } from './ground-work.ts';
import { create, makeFolder } from './take-write.ts';

type Unpack = Extract<Step, { readonly do: 'unpack' }>;

/** Takes what unpacks an archive: a small one is looked into, any other may hold whatever it likes. */
export async function takeUnpack(step: Unpack, taking: Taking): Promise<void> {
  const { work, cwd } = taking;
  const [archive, ...others] = await targetsOf(step.archive, taking);
  const [into] =
    step.into === null ? [{ path: cwd ?? '', text: '.', isMaybe: taking.isMaybe }] : await targetsOf(step.into, taking);
  if (archive === undefined || into === undefined || into.path === '') {
    work.unknown.add(`what ${step.archive.text} holds, or where it is put`);
    return;
  }
  const entry = work.tree.follow(archive.path);
  if (entry === null) {
    tellMissing(work, archive.text);
    return;
  }
  const isReadable =
    entry.kind === 'file' && work.tree.source(entry.path) === entry.path && (entry.stats?.size ?? 0) <= LARGEST_ARCHIVE;
  const members = isReadable && step.all && others.length === 0 ? await readArchive(entry.path, step.how) : null;
  if (members === null || members.some(({ name }) => /(^|\/)\.\.(\/|$)/.test(name))) {
    work.unknown.add(`what ${archive.text} holds: it is unpacked over what is there`);
    work.isVague = true;
    return;
  }
  for (const member of members) await unpackOne(member, into, step, work);
}

async function unpackOne(
  member: Member,
  into: Pick<Target, 'path' | 'text' | 'isMaybe'>,
  step: Unpack,
  work: Work,
): Promise<void> {
  if (!(await work.pace.breathe())) {
    work.unknown.add('what else is unpacked: there was no time to go through all of it');
    return;
  }
  const parts = member.name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .slice(step.strip);
  if (parts.length === 0) return;
  const path = `${into.path}/${parts.join('/')}`;
  const parent = path.slice(0, path.lastIndexOf('/'));
  if (work.tree.follow(parent) === null && parts.length > 1)
    makeFolder({ ...into, path: parent, text: parent }, true, work);
  const spot = work.tree.spot(path);
  const there = spot === null ? null : work.tree.at(spot);
  if (spot === null) tellMissing(work, `the folder of ${path}`);
  else if (there === null) create(spot, member.kind, into, work, member.size);
  else if (there.kind === 'folder' && member.kind === 'folder') bucketOf('changes', into, work).add(spot, 'folder');
  else if (there.kind !== 'folder' && member.kind !== 'folder')
    bucketOf('overwrites', step.careful ? { isMaybe: true } : into, work).add(spot, there.kind, there.stats?.size);
  else work.notes.add(`${spot} is in the way: that would fail`);
}
