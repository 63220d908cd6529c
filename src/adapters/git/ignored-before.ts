import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AishError } from '../../protocol/error.ts';
import { readBlobs } from './blob.ts';
import { readGit, runGit } from './git-process.ts';
import { openRoom, privateEnvironment } from './private-directory.ts';
import { joinRawPaths, splitRawPaths, toFullPath } from './raw-path.ts';
import type { Repository } from './repository.ts';

/*
 * A picture without a file that was ignored when it was taken does not tell that the file was not there. So a step that changes what
 * is ignored seems to have made files that are much older, and its undo would delete them.
 */

/** Those of the raw paths that the patterns in a picture of the work tree ignore. */
export async function findIgnoredBy(
  repository: Repository,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const patterns = await listPatterns(repository, tree);
  if (patterns.length === 0) return new Set();
  const folder = join(openRoom(repository, 'ignored'), `${process.pid}~${crypto.randomUUID()}`);
  mkdirSync(folder, { mode: 0o700 });
  try {
    const contents = await readBlobs(
      repository,
      patterns.map(({ blob }) => blob),
    );
    for (const [place, { path }] of patterns.entries()) {
      mkdirSync(toFullPath(folder, dirname(path)), { recursive: true });
      writeFileSync(toFullPath(folder, path), contents[place] ?? '');
    }
    return await askIgnored(repository, folder, paths);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function listPatterns(repository: Repository, tree: string) {
  const args = ['ls-tree', '-r', '-z', tree];
  const listing = await readGit(
    { ...repository.place, env: privateEnvironment(repository), args },
    'read the checkpoint',
  );
  return splitRawPaths(listing).flatMap((entry) => {
    const [, blob, path] = /^100\d{3} blob ([0-9a-f]+)\t((?:.*\/)?\.gitignore)$/s.exec(entry) ?? [];
    return blob === undefined || path === undefined ? [] : [{ blob, path }];
  });
}

async function askIgnored(
  repository: Repository,
  folder: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  // check-ignore takes names, not patterns, and refuses to be told so.
  const env = { ...privateEnvironment(repository), GIT_WORK_TREE: folder, GIT_LITERAL_PATHSPECS: '0' };
  const args = ['check-ignore', '--no-index', '-z', '--stdin'];
  const { exit, stdout, stderr } = await runGit({
    ...repository.place,
    cwd: folder,
    env,
    args,
    input: joinRawPaths(paths),
  });
  if (exit <= 1) return new Set(splitRawPaths(stdout));
  throw new AishError('git.failed', `cannot tell which files were ignored: ${stderr.split('\n')[0]}`);
}
