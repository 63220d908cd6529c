import { AishError } from '../../protocol/error.ts';
import { type CheckpointNote, formatNote, REFS, readNumbers } from './checkpoint-record.ts';
import { type GitOutcome, readGit, runGit } from './git-process.ts';
import { privateEnvironment } from './private-directory.ts';
import type { Repository } from './repository.ts';

/** Checkpoints kept per repository; the oldest go first. */
export const KEPT_CHECKPOINTS = 200;

/** Keeps a commit under the next free id. Only the newest checkpoints are kept; a number taken by another process meanwhile is skipped. */
export async function keepUnderNextId(
  repository: Repository,
  commit: string,
  seen: readonly number[],
): Promise<string> {
  let reason = '';
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const numbers = attempt === 0 ? seen : await readNumbers(repository);
    // A number that stays locked was left so by a kill, and is nobody's then.
    const id = `c${(numbers.at(-1) ?? 0) + 1 + Math.max(0, attempt - 9)}`;
    const outdated = numbers.slice(0, Math.max(0, numbers.length + 1 - KEPT_CHECKPOINTS));
    const lines = [`create ${REFS}/${id}/before ${commit}`, ...(await describeRemoval(repository, outdated))];
    const outcome = await writeRefs(repository, lines, { ref: `${REFS}/${id}/before`, commit });
    if (outcome.exit === 0) return id;
    reason = outcome.stderr;
  }
  throw new AishError('checkpoint.failed', `cannot keep the checkpoint: ${reason}`, {
    hint: `check that ${repository.commonDirectory} is writable and holds no stale .lock files under refs/aish`,
  });
}

/** Stopped in the middle, it takes the new ref away again: a checkpoint that no event names would stand in the way of undo. */
async function writeRefs(
  repository: Repository,
  lines: readonly string[],
  fresh: { readonly ref: string; readonly commit: string },
): Promise<GitOutcome> {
  try {
    const input = `${lines.join('\n')}\n`;
    // A planted ref may be a name for another one, such as a branch.
    return await runGit({ ...repository.place, args: ['update-ref', '--no-deref', '--stdin'], input });
  } catch (thrown) {
    const args = ['update-ref', '--no-deref', '-d', fresh.ref, fresh.commit];
    if (repository.place.signal?.aborted) await runGit({ cwd: repository.root, args });
    throw thrown;
  }
}

async function describeRemoval(repository: Repository, numbers: readonly number[]): Promise<readonly string[]> {
  if (numbers.length === 0) return [];
  const folders = numbers.map((number) => `${REFS}/c${number}/`);
  const listing = await readGit(
    { ...repository.place, args: ['for-each-ref', '--format=delete %(refname)', ...folders] },
    'list the checkpoints',
  );
  return listing
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** Writes the commit that holds a picture and its note. */
export async function writeCommit(
  repository: Repository,
  tree: string,
  note: CheckpointNote,
  parent: string | null,
): Promise<string> {
  const date = `@${Math.floor(note.at / 1000)} +0000`;
  const env = {
    ...privateEnvironment(repository),
    GIT_AUTHOR_NAME: 'aish',
    GIT_AUTHOR_EMAIL: 'aish@localhost',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: 'aish',
    GIT_COMMITTER_EMAIL: 'aish@localhost',
    GIT_COMMITTER_DATE: date,
  };
  const args = ['commit-tree', tree, ...(parent === null ? [] : ['-p', parent])];
  const commit = await readGit({ ...repository.place, env, args, input: formatNote(note) }, 'write the checkpoint');
  return commit.toString('latin1').trim();
}
