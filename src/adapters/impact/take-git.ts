import type { Argument } from '../../core/commands/argument.ts';
import type { ChangeOf, GitChange } from '../../core/commands/file-change.ts';
import type { GitReader } from './git-facts.ts';
import { FAULTS, NOTES, UNKNOWN } from './messages.ts';
import { bucketOf, type Taking, targetsOf } from './targets.ts';

interface GitTaking extends Taking {
  readonly cwd: string;
  readonly git: GitReader;
}

type Of<T extends GitChange['verb']> = Extract<GitChange, { readonly verb: T }>;

/** Counts what git does to the work tree, as git itself answers now. */
export async function takeGit(change: ChangeOf<'git'>, taking: Taking): Promise<void> {
  const { work, cwd } = taking;
  const { verb } = change;
  const git = cwd === null ? null : work.repositories.around(cwd);
  if (cwd === null || git === null) {
    work.unknown.add(UNKNOWN.git(verb));
    return;
  }
  if (work.tree.isChanged || work.isGitChanged || work.isVague) work.unknown.add(UNKNOWN.gitLater(verb));
  const isCounted = await count(change, { ...taking, cwd, git });
  if (!isCounted) work.unknown.add(UNKNOWN.gitSilent(verb));
  if (verb === 'switch' || verb === 'restore') await noteHook({ ...taking, cwd, git });
  work.isGitChanged = true;
}

function count(change: GitChange, taking: GitTaking): Promise<boolean> {
  switch (change.verb) {
    case 'clean':
      return takeClean(change, taking);
    case 'reset':
      return takeDifference([change.to], [], taking, { deletes: true });
    case 'restore':
      return takeRestore(change, taking);
    case 'switch':
      return takeSwitch(change, taking);
  }
}

/** A hook that runs after a checkout may do anything. */
async function noteHook({ work, git, cwd }: GitTaking): Promise<void> {
  const folder = await git.line(['rev-parse', '--path-format=absolute', '--git-path', 'hooks'], cwd);
  if (folder === null || work.tree.follow(`${folder}/post-checkout`) !== null) work.unknown.add(UNKNOWN.gitHook());
}

/** Paths as git takes them: with patterns of its own. Null where one is not known. */
async function pathspecs(words: readonly Argument[], taking: Taking): Promise<readonly string[] | null> {
  const specs: string[] = [];
  for (const word of words) {
    if (word.value !== null && !word.isGlob) specs.push(word.value);
    else {
      const targets = await targetsOf(word, taking);
      if (targets.length === 0) return null;
      specs.push(...targets.map(({ path }) => path));
    }
  }
  return specs;
}

async function takeClean(change: Of<'clean'>, taking: GitTaking): Promise<boolean> {
  const { git, cwd, work } = taking;
  const specs = await pathspecs(change.paths, taking);
  if (specs === null) return true;
  const outcome = await git.read(['-c', 'core.quotePath=false', 'clean', '-n', ...change.options, '--', ...specs], {
    cwd,
    patterns: true,
  });
  if (outcome === null || outcome.exit !== 0) return false;
  if (!change.isForced && (await git.line(['config', '--type=bool', 'clean.requireForce'], cwd)) !== 'false') {
    work.notes.add(NOTES.cleanNeedsForce());
    return true;
  }
  for (const line of outcome.stdout.toString('utf8').split('\n')) {
    const [, written] = /^Would remove (.+)$/.exec(line) ?? [];
    // git writes odd names in a way of its own.
    if (written?.startsWith('"') === true) work.unknown.add(UNKNOWN.gitCleans(written));
    else if (written !== undefined) await deletePath(`${cwd}/${written}`, taking);
    if (!(await work.pace.breathe())) return false;
  }
  return true;
}

async function takeRestore(change: Of<'restore'>, taking: GitTaking): Promise<boolean> {
  const specs = await pathspecs(change.paths, taking);
  if (specs === null) return true;
  const [first, ...rest] = specs;
  if (change.mayBeRevision && first !== undefined && (await isRevision(first, taking)))
    return takeDifference([first], rest, taking, { deletes: false });
  if (specs.length === 0) return true;
  return takeDifference(change.from === null ? [] : [change.from], specs, taking, { deletes: change.deletes });
}

async function takeSwitch({ to, orPath }: Of<'switch'>, taking: GitTaking): Promise<boolean> {
  const { value } = to;
  if (value === null || (to.isGlob && !orPath)) return false;
  const name = value === '-' ? '@{-1}' : value;
  if (!to.isGlob && (await isRevision(name, taking)))
    return takeDifference(['HEAD', name], [], taking, { deletes: true });
  const remote = await taking.git.line(['for-each-ref', '--format=%(refname)', `refs/remotes/*/${name}`], taking.cwd);
  if (remote !== null && remote !== '')
    return takeDifference(['HEAD', remote.split('\n')[0] ?? ''], [], taking, { deletes: true });
  if (orPath) {
    const restore = { verb: 'restore', from: null, paths: [to], deletes: false, mayBeRevision: false } as const;
    return takeRestore(restore, taking);
  }
  taking.work.notes.add(FAULTS.noBranch(taking.work, to.text));
  return true;
}

/** Makes the work tree what a revision is; of two, what the second is; without one, what the index is. */
async function takeDifference(
  revisions: readonly string[],
  specs: readonly string[],
  taking: GitTaking,
  { deletes }: { readonly deletes: boolean },
): Promise<boolean> {
  const { git, cwd, work } = taking;
  if (revisions.some((one) => one.startsWith('-'))) return false;
  const plain = ['--no-ext-diff', '--no-textconv', '--no-renames', '--ignore-submodules=all', '--no-relative'];
  const outcome = await git.read(['diff', ...plain, '--name-status', '-z', ...revisions, '--', ...specs], {
    cwd,
    patterns: true,
  });
  const root = await git.line(['rev-parse', '--show-toplevel'], cwd);
  if (root === null || root === '' || outcome === null) return false;
  if (outcome.exit !== 0) {
    work.notes.add(FAULTS.noRevision(work));
    return true;
  }
  const fields = outcome.stdout.toString('utf8').split('\0');
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const path = `${root}/${fields[at + 1] ?? ''}`;
    // Between two revisions `D` is what the second has not; with one, `A` is what the work tree has and the revision has not.
    const goes = fields[at] === (revisions.length === 2 ? 'D' : 'A');
    if (!goes) putBack(path, taking);
    else if (deletes) await deletePath(path, taking);
    if (!(await work.pace.breathe())) return false;
  }
  return true;
}

function putBack(path: string, { work, isMaybe }: Taking): void {
  const there = work.tree.look(path);
  if (there === null) {
    bucketOf('creates', { isMaybe }, work).add(path, 'file');
    work.tree.make(path, 'file');
    return;
  }
  const kind = there.kind === 'folder' ? 'other' : there.kind;
  bucketOf('overwrites', { isMaybe }, work).add(there.path, kind, there.stats?.size);
}

async function deletePath(path: string, { work, isMaybe }: Taking): Promise<void> {
  const entry = work.tree.look(path.replace(/(?<!\/)\/+$/, ''));
  if (entry === null) return;
  await bucketOf('deletes', { isMaybe }, work).addTree(entry, work.tree, work.pace);
  if (!isMaybe) work.tree.remove(entry.path);
}

async function isRevision(name: string, { git, cwd }: GitTaking): Promise<boolean> {
  return (await git.line(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], cwd)) !== null;
}

const ADDRESS = /^(?:[a-z][\w+.-]*:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:]+)|(?:[\w.-]+@)?([\w.-]+):(?!\/\/))/i;

/** Names the machine that a remote leads to. */
export async function readRemote({ name, isPush }: ChangeOf<'remote'>, { work, cwd }: Taking): Promise<void> {
  const git = cwd === null ? null : work.repositories.around(cwd);
  const listed = git === null || cwd === null ? null : await git.line(['remote', '-v'], cwd);
  const rows = (listed ?? '').split('\n').flatMap((row) => {
    const [, remote, url, use] = /^(\S+)\t(.*) \((fetch|push)\)$/.exec(row) ?? [];
    return url !== undefined && use === (isPush ? 'push' : 'fetch') && (name ?? remote) === remote ? [url] : [];
  });
  const urls = rows.length === 0 && name !== null ? [name] : [...new Set(rows)];
  if (urls.length === 0) work.unknown.add(UNKNOWN.gitHost());
  for (const url of urls) {
    const [, address, place] = ADDRESS.exec(url) ?? [];
    const host = address ?? place;
    if (host !== undefined) work.hosts.add(host);
  }
}
