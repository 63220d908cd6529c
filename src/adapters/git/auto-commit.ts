import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AishError } from '../../protocol/error.ts';
import { disarmFilters, readFilters } from './filters.ts';
import { type GitCall, readGit, runGit } from './git-process.ts';
import { joinRawPaths, splitRawPaths } from './raw-path.ts';
import type { Repository } from './repository.ts';

/** The commit the branch stands at now (null before the first), and why none was made where that was not safe. */
export interface BranchCommit {
  readonly commit: string | null;
  readonly skipped?: string;
}

const UNFINISHED: readonly (readonly [string, string])[] = [
  ['MERGE_HEAD', 'a merge is in progress'],
  ['rebase-merge', 'a rebase is in progress'],
  ['rebase-apply', 'a rebase is in progress'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick is in progress'],
  ['REVERT_HEAD', 'a revert is in progress'],
];

/** Commits everything on the person's branch, without hooks and signing; a clean tree needs no commit. */
export async function commitOnBranch(repository: Repository, toolName: string): Promise<BranchCommit> {
  // A commit now would end the merge with its conflict marks in it.
  const unfinished = UNFINISHED.find(([name]) => existsSync(join(repository.gitDirectory, name)));
  if (unfinished !== undefined) return { commit: await readHead(repository), skipped: unfinished[1] };
  // Filters of the person's own settings (git-lfs) work as always; staging what needs one of the repository fails.
  const settings = disarmFilters(await readFilters(repository.place, { ownOnly: true }), { required: true });
  await stageAll(repository, settings);
  if (await hasStagedChanges(repository)) {
    const message = `aish auto-commit before ${toolName}`;
    const args = [
      ...settings,
      ...(await identity(repository)),
      'commit',
      '--quiet',
      '--no-verify',
      '--no-gpg-sign',
      '--no-status',
      '--cleanup=whitespace',
      '-m',
      message,
    ];
    await readGit({ ...repository.place, args }, 'commit before the change');
  }
  return { commit: await readHead(repository) };
}

/** Not by `git add`: that asks every submodule for its state, and git run in there has filters of its own. */
async function stageAll(repository: Repository, settings: readonly string[]): Promise<void> {
  const run = (args: readonly string[], input?: Buffer) =>
    runStaging({ ...repository.place, args: [...settings, ...args], ...(input === undefined ? {} : { input }) });
  const { gone, changed } = await findUnstaged(run);
  const update = async (flags: readonly string[], paths: readonly string[]) => {
    if (paths.length > 0) await run(['update-index', ...flags, '-z', '--stdin'], joinRawPaths(paths));
  };
  await update(['--force-remove'], gone);
  await update(['--add', '--remove', '--replace'], changed);
}

async function findUnstaged(run: (args: readonly string[]) => Promise<Buffer>) {
  const [tracked, others] = await Promise.all([
    run(['diff-files', '-z', '--name-status', '--no-renames', '--ignore-submodules=dirty']),
    run(['ls-files', '-z', '--others', '--exclude-standard']),
  ]);
  const fields = splitRawPaths(tracked);
  const gone: string[] = [];
  const changed: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) (fields[at] === 'D' ? gone : changed).push(fields[at + 1] ?? '');
  // A directory in the list is another repository inside this one, which nobody has made a submodule yet.
  return { gone, changed: [...changed, ...splitRawPaths(others).filter((path) => !path.endsWith('/'))] };
}

async function runStaging(call: GitCall): Promise<Buffer> {
  const outcome = await runGit(call);
  if (outcome.exit === 0) return outcome.stdout;
  throw new AishError(
    'git.failed',
    `cannot stage the changes before the commit: ${outcome.stderr.split('\n').at(-1)}`,
    {
      hint: 'commit by hand, or set [checkpoint] mode = "ref", which needs no staging and runs no filters of the repository',
    },
  );
}

async function hasStagedChanges(repository: Repository): Promise<boolean> {
  const head = await readHead(repository);
  const args =
    head === null
      ? ['ls-files', '--cached', '-z']
      : ['diff-index', '--cached', '--raw', '-z', '--ignore-submodules=none', head];
  return (await readGit({ ...repository.place, args }, 'compare with the last commit')).length > 0;
}

async function readHead(repository: Repository): Promise<string | null> {
  const outcome = await runGit({ ...repository.place, args: ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'] });
  return outcome.exit === 0 ? outcome.stdout.toString('latin1').trim() : null;
}

/** The person's own name where git knows it, else ours. */
async function identity(repository: Repository): Promise<readonly string[]> {
  const args = ['-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT'];
  const known = await runGit({ ...repository.place, args });
  return known.exit === 0 ? [] : ['-c', 'user.name=aish', '-c', 'user.email=aish@localhost'];
}
