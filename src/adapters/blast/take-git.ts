import type { GitDeed, PathWord } from '../../core/blast/plan.ts';
import type { GitReader } from './git-facts.ts';
import { deletePath, type GitReady, isRevision, namesIn, takeDifference } from './git-work-tree.ts';
import { bucketOf, type Taking, targetsOf, tellMissing } from './ground-work.ts';
import { takeMerge } from './take-merge.ts';

/** A deed with the repository that it is done to. */
interface GitTaking extends Taking {
  readonly git: GitReader | null;
}

/** Takes what git does to the work tree, as git itself would answer now. */
export async function takeGit(deed: GitDeed, taking: GitTaking): Promise<void> {
  const { work, cwd, git } = taking;
  const verb = deed.name === 'merge' ? deed.verb : deed.name;
  if (cwd === null || git === null) {
    work.unknown.add(`what git ${verb} does, where there may be no repository`);
    return;
  }
  if (work.tree.isChanged || work.isGitChanged || work.isVague)
    work.unknown.add(`what git ${verb} does after the steps before it`);
  const isTold = await take(deed, { ...taking, cwd, git });
  if (!isTold) work.unknown.add(`which files git ${verb} changes: git could not tell`);
  work.isGitChanged = true;
}

async function take(deed: GitDeed, ready: GitReady): Promise<boolean> {
  switch (deed.name) {
    case 'clean':
      return takeClean(deed, ready);
    case 'reset':
      return takeDifference([deed.to], [], ready, { deletes: true });
    case 'restore':
      return takeRestore(deed, ready);
    case 'switch':
      return takeSwitch(deed, ready);
    case 'remove':
      return takeRemove(deed, ready);
    case 'stash':
      return takeStash(deed, ready);
    case 'merge':
      return takeMerge(deed, ready);
  }
}

/** Paths as git takes them: with patterns of its own. Null where one is not known. */
async function pathspecs(words: readonly PathWord[], taking: Taking): Promise<readonly string[] | null> {
  const specs: string[] = [];
  for (const word of words) {
    if (word.pattern === undefined && word.path !== null) specs.push(word.path);
    else {
      const targets = await targetsOf(word, taking);
      if (targets.length === 0) return null;
      specs.push(...targets.map(({ path }) => path));
    }
  }
  return specs;
}

async function takeClean(deed: Extract<GitDeed, { readonly name: 'clean' }>, ready: GitReady): Promise<boolean> {
  const { git, cwd, work } = ready;
  const specs = await pathspecs(deed.paths, ready);
  if (specs === null) return true;
  const outcome = await git.read(['-c', 'core.quotePath=false', 'clean', '-n', ...deed.options, '--', ...specs], {
    cwd,
    patterns: true,
  });
  if (outcome === null || outcome.exit !== 0) return false;
  if (!deed.isForced) {
    const required = await git.read(['config', '--type=bool', 'clean.requireForce']);
    if (required?.stdout.toString('utf8').trim() !== 'false') {
      work.notes.add('git clean without -f would fail');
      return true;
    }
  }
  for (const line of outcome.stdout.toString('utf8').split('\n')) {
    const [, written] = /^Would remove (.+)$/.exec(line) ?? [];
    if (written !== undefined) await deletePath(`${cwd}/${unquote(written)}`, ready);
    if (!(await work.pace.breathe())) return false;
  }
  return true;
}

/** Undoes what git does to odd names. */
function unquote(written: string): string {
  if (!written.startsWith('"')) return written;
  const bytes: number[] = [];
  const text = written.slice(1, -1);
  const named: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11 };
  for (let at = 0; at < text.length; at += 1) {
    const octal = /^\\([0-7]{3})/.exec(text.slice(at, at + 4));
    if (octal?.[1] !== undefined) {
      bytes.push(Number.parseInt(octal[1], 8));
      at += 3;
    } else if (text[at] === '\\') {
      at += 1;
      bytes.push(named[text[at] ?? ''] ?? text.codePointAt(at) ?? 0);
    } else bytes.push(...Buffer.from(text[at] ?? ''));
  }
  return Buffer.from(bytes).toString('utf8');
}

async function takeRestore(deed: Extract<GitDeed, { readonly name: 'restore' }>, ready: GitReady): Promise<boolean> {
  const specs = await pathspecs(deed.paths, ready);
  if (specs === null) return true;
  const [first, ...rest] = specs;
  if (deed.mayBeRevision === true && first !== undefined && (await isRevision(first, ready)))
    return takeDifference([first], rest, ready, { deletes: false });
  if (specs.length === 0) return true;
  return takeDifference(deed.from === null ? [] : [deed.from], specs, ready, { deletes: deed.deletes });
}

async function takeSwitch(deed: Extract<GitDeed, { readonly name: 'switch' }>, ready: GitReady): Promise<boolean> {
  const { to, force, orPath } = deed;
  if (to.path === null || (to.pattern !== undefined && !orPath)) return false;
  const name = to.path === '-' ? '@{-1}' : to.path;
  if (to.pattern === undefined && (await isRevision(name, ready))) {
    if (force) return takeDifference([name], [], ready, { deletes: true });
    return takeDifference(['HEAD', name], [], ready, { deletes: true });
  }
  const guess = await ready.git.read(['for-each-ref', '--format=%(refname)', `refs/remotes/*/${name}`], {
    cwd: ready.cwd,
  });
  const remote = guess?.stdout.toString('utf8').split('\n')[0];
  if (remote) return takeDifference(['HEAD', remote], [], ready, { deletes: true });
  if (orPath) return takeRestore({ name: 'restore', from: null, paths: [to], deletes: false }, ready);
  ready.work.notes.add(`git: there is no branch ${to.text}: that would fail`);
  return true;
}

async function takeRemove(deed: Extract<GitDeed, { readonly name: 'remove' }>, ready: GitReady): Promise<boolean> {
  const specs = await pathspecs(deed.paths, ready);
  if (specs === null || specs.length === 0) return true;
  const { git, cwd, work } = ready;
  const outcome = await git.read(['ls-files', '-z', '--full-name', '--', ...specs], { cwd, patterns: true });
  const root = await git.top(cwd);
  if (outcome === null || root === null) return false;
  const files = namesIn(outcome);
  if (files.length === 0) tellMissing(work, deed.paths.map(({ text }) => text).join(', '));
  const isFolder = specs.some(
    (spec) => work.tree.follow(spec.startsWith('/') ? spec : `${cwd}/${spec}`)?.kind === 'folder',
  );
  if (isFolder && !deed.recursive) {
    work.notes.add('git rm of a folder without -r would fail');
    return true;
  }
  const folders = new Set<string>();
  for (const file of files) {
    await deletePath(`${root}/${file}`, ready);
    if (!(await work.pace.breathe())) return false;
    for (let slash = file.lastIndexOf('/'); slash > 0; slash = file.lastIndexOf('/', slash - 1))
      folders.add(file.slice(0, slash));
  }
  await deleteEmptied(
    [...folders].map((folder) => `${root}/${folder}`),
    ready,
  );
  return true;
}

/** Folders that become empty go with their last file. */
async function deleteEmptied(folders: readonly string[], { work, isMaybe }: Taking): Promise<void> {
  for (const folder of [...folders].sort((one, other) => other.length - one.length)) {
    const entry = work.tree.at(folder);
    if (entry?.kind !== 'folder' || (await work.tree.children(folder)).length > 0) continue;
    bucketOf('deletes', { isMaybe }, work).add(folder, 'folder');
    work.tree.remove(folder);
  }
}

async function takeStash(deed: Extract<GitDeed, { readonly name: 'stash' }>, ready: GitReady): Promise<boolean> {
  const isTold = await takeDifference(['HEAD'], [], ready, { deletes: true });
  if (!isTold || deed.untracked === 'none') return isTold;
  const ignored = deed.untracked === 'all' ? ['-x'] : [];
  const top = await ready.git.read(['rev-parse', '--show-toplevel'], { cwd: ready.cwd });
  const cwd = top?.stdout.toString('utf8').replace(/\n$/, '') ?? '';
  if (cwd === '') return false;
  return takeClean({ name: 'clean', options: ['-d', ...ignored], paths: [], isForced: true }, { ...ready, cwd });
}
