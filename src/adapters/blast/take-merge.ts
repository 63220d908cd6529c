import type { GitDeed } from '../../core/blast/plan.ts';
import {
  type Difference,
  deletePath,
  type GitReady,
  isRevision,
  namesIn,
  putBack,
  readDifferences,
} from './git-work-tree.ts';

type Merge = Extract<GitDeed, { readonly name: 'merge' }>;

/** The three sides that git puts together: what came from `base` to `other` is done to what we have. */
interface Sides {
  readonly base: string;
  readonly other: string;
  /** Nothing of ours is in between: the result is the other side, and nothing else. */
  readonly isForward: boolean;
}

/** What of a side would be written, and whether that is certain. */
interface Taken extends Difference {
  readonly isMaybe: boolean;
}

/**
 * Takes what puts another side into the work tree. Git says which files differ between the sides. A file that both have changed may come out as it is,
 * and may be left with the marks of a conflict; where the files here are in the way git refuses all of it. Either is told as what may happen.
 */
export async function takeMerge(deed: Merge, ready: GitReady): Promise<boolean> {
  const { work, git, cwd } = ready;
  const sides = await sidesOf(deed, ready);
  if (sides === null) return false;
  if (typeof sides === 'string') {
    work.notes.add(sides);
    return true;
  }
  const [drivers, taken] = await Promise.all([
    git.read(['config', '--name-only', '--get-regexp', '^merge\\..*\\.driver$'], { cwd }),
    takenOver(deed, sides, ready),
  ]);
  if (drivers?.exit === 0) work.unknown.add('what the programs do that git is told to merge with');
  if (taken === null) return false;
  const untracked = deed.how === 'stash' ? await readUntracked(sides.other, ready) : [];
  if (untracked === null) return false;
  // What is in the way now may not be when the steps before it are done.
  const isLater = work.tree.isChanged || work.isGitChanged || work.isVague;
  const obstacle = isLater ? null : await findObstacle(deed, sides, taken, ready);
  if (obstacle === 'unsure' || (obstacle !== null && (await putsAside(deed, ready)))) return false;
  if (obstacle !== null) work.notes.add(`${obstacle}: git ${deed.verb} would refuse, and change nothing`);
  for (const { path, letter, isMaybe } of [...taken, ...untracked]) {
    const taking = { ...ready, isMaybe: ready.isMaybe || isMaybe || isLater || obstacle !== null };
    if (letter === 'D') await deletePath(path, taking);
    else if (untracked.some((one) => one.path === path) && work.tree.look(path) !== null)
      work.notes.add(`${path} is there already, and stays: git ${deed.verb} would fail in part`);
    else putBack(path, taking);
    if (!(await work.pace.breathe())) return false;
  }
  if (taken.length + untracked.length === 0) work.notes.add(`git: ${deed.to} has no file that is another one here`);
  return true;
}

/** Whether git is told to put changes aside before, and to bring them back. */
async function putsAside({ how }: Merge, { git, cwd }: GitReady): Promise<boolean> {
  if (how !== 'merge' && how !== 'rebase') return false;
  const setting = await git.read(['config', '--type=bool', `${how}.autoStash`], { cwd });
  return setting?.stdout.toString('utf8').trim() !== 'false' && setting?.exit !== 1;
}

/** The sides of a deed; words where there is nothing to be done, or where it would fail. */
async function sidesOf({ how, to, verb, isForwardOnly }: Merge, ready: GitReady): Promise<Sides | string | null> {
  if (to.startsWith('-')) return null;
  if (!(await isRevision(to, ready))) return `git: there is no ${to}: git ${verb} would fail`;
  if (how === 'stash') return { base: `${to}^1`, other: to, isForward: false };
  if (how === 'pick' || how === 'revert') {
    if ((await countParents(to, ready)) !== 1) return null;
    const [base, other] = how === 'pick' ? [`${to}^`, to] : [to, `${to}^`];
    return { base, other, isForward: false };
  }
  const found = await ready.git.read(['merge-base', '--all', 'HEAD', to], { cwd: ready.cwd });
  const heads = await ready.git.read(['rev-parse', 'HEAD^{commit}', `${to}^{commit}`], { cwd: ready.cwd });
  if (found === null || heads === null || heads.exit !== 0) return null;
  const bases = found.stdout.toString('utf8').trim().split('\n');
  const [head, other = ''] = heads.stdout.toString('utf8').trim().split('\n');
  const [base = ''] = bases;
  if (found.exit !== 0 || base === '')
    return how === 'merge' ? `git: ${to} has no history in common with what is here` : null;
  // With several of them git merges these first.
  if (bases.length > 1) return null;
  if (base === other) return `git: all of ${to} is here already`;
  if (isForwardOnly === true && base !== head) return `git: ${to} is no continuation of what is here: that would fail`;
  return { base, other, isForward: base === head };
}

/** What the other side brings; null where that cannot be told. */
async function takenOver(
  { how }: Merge,
  { base, other, isForward }: Sides,
  ready: GitReady,
): Promise<readonly Taken[] | null> {
  const theirs = await readDifferences([base, other], ready);
  if (theirs === null || theirs === 'no-such') return null;
  if (isForward) return theirs.map((one) => ({ ...one, isMaybe: false }));
  const [ours, between, renamed] = await Promise.all([
    readDifferences([base, 'HEAD'], ready),
    readDifferences(['HEAD', other], ready),
    ready.git.read(
      ['diff', '--no-ext-diff', '--no-textconv', '--find-renames', '--diff-filter=R', '--quiet', base, 'HEAD', '--'],
      { cwd: ready.cwd },
    ),
  ]);
  if (ours === null || ours === 'no-such' || between === null || between === 'no-such' || renamed === null) return null;
  // What was renamed here is merged under the name it has now, and new files may follow a folder.
  if (renamed.exit !== 0) return null;
  const ourPaths = new Set(ours.map(({ path }) => path));
  const differing = new Set(between.map(({ path }) => path));
  const taken = theirs
    .filter(({ path }) => differing.has(path))
    .map((one) => ({ ...one, isMaybe: ourPaths.has(one.path) }));
  if (how !== 'rebase') return taken;
  // The other side comes first, and then our commits one by one: what they hold is written again.
  const takenPaths = new Set(taken.map(({ path }) => path));
  const again = ours.filter(({ path, letter }) => letter !== 'D' && !takenPaths.has(path));
  return [...taken, ...again.map((one) => ({ ...one, isMaybe: true }))];
}

async function countParents(commit: string, { git, cwd }: GitReady): Promise<number | null> {
  const told = await git.read(['rev-list', '--no-walk', '--parents', commit, '--'], { cwd });
  return told === null || told.exit !== 0 ? null : told.stdout.toString('utf8').trim().split(' ').length - 1;
}

/** Files that a stash holds besides: they come back where they were. */
async function readUntracked(stash: string, ready: GitReady): Promise<readonly Taken[] | null> {
  const parents = await countParents(stash, ready);
  if (parents === 2) return [];
  if (parents !== 3) return null;
  const outcome = await ready.git.read(['ls-tree', '-r', '-z', '--name-only', '--full-tree', `${stash}^3`], {
    cwd: ready.cwd,
  });
  if (outcome === null || outcome.exit !== 0) return null;
  return namesIn(outcome).map((name) => ({ path: `${ready.git.root}/${name}`, letter: 'A', isMaybe: false }));
}

/** What keeps git from it: files here that are not as they were committed. */
async function findObstacle(
  { how }: Merge,
  { isForward }: Sides,
  taken: readonly Taken[],
  ready: GitReady,
): Promise<string | 'unsure' | null> {
  const [changed, staged] = await Promise.all([
    readDifferences(['HEAD'], ready),
    readDifferences(['HEAD'], ready, { options: ['--cached'] }),
  ]);
  if (changed === null || changed === 'no-such' || staged === null || staged === 'no-such') return 'unsure';
  const anything = [...staged, ...changed][0];
  if (how === 'rebase' && anything !== undefined) return `${anything.path} is not as it was committed`;
  const isWhole = how === 'merge' || how === 'pick' || how === 'revert';
  const [first] = staged;
  if (isWhole && !isForward && first !== undefined) return `${first.path} is staged`;
  const touched = new Set(taken.map(({ path }) => path));
  const inTheWay = [...staged, ...changed].find(({ path }) => touched.has(path));
  if (inTheWay !== undefined) return `${inTheWay.path} is not as it was committed`;
  const known = await ready.git.read(['ls-files', '-z']);
  if (known === null || known.exit !== 0) return 'unsure';
  const tracked = new Set(namesIn(known).map((name) => `${ready.git.root}/${name}`));
  const there = taken.find(
    ({ path, letter }) => letter === 'A' && !tracked.has(path) && ready.work.tree.look(path) !== null,
  );
  return there === undefined ? null : `${there.path} is there already`;
}
