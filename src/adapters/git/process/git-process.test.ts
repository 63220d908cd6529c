import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome, useRepository } from '../../../../test/support/git-place.ts';
import { toErrorFact } from '../../../protocol/error.ts';
import { readGit } from './git-process.ts';

let cwd = '';
useRepository(useGitHome('git-process', ADA), (path) => {
  cwd = path;
});

async function factOf(args: readonly string[]) {
  try {
    await readGit({ cwd, args }, 'keep a snapshot');
  } catch (thrown) {
    return toErrorFact(thrown);
  }
  return null;
}

test('a full disk is called one, and nobody is sent to look at the repository', async () => {
  writeFileSync(join(cwd, 'a'), 'some text\n');
  await readGit({ cwd, args: ['add', 'a'] }, 'add');
  const tree = (await readGit({ cwd, args: ['write-tree'] }, 'write')).toString('utf8').trim();
  expect(await factOf(['archive', '--output=/dev/full', '--format=tar', tree])).toEqual({
    code: 'git.disk-full',
    message: 'cannot keep a snapshot: the disk is full',
    hint: `free some space on the disk of ${cwd}, then try again`,
  });
});

test('any other failure is told in the words of git', async () => {
  expect(await factOf(['cat-file', '-p', 'nothing'])).toEqual({
    code: 'git.failed',
    message: 'cannot keep a snapshot: fatal: Not a valid object name nothing',
    hint: `to see what is wrong with the repository, run "git status" in ${cwd}`,
  });
});

// Only Linux tells where a process waits.
test.skipIf(!existsSync('/proc/self/wchan'))(
  'a pipe in the place of a .gitignore fails instead of a wait without end',
  async () => {
    mkdirSync(join(cwd, 'deep'));
    Bun.spawnSync(['mkfifo', join(cwd, 'deep/.gitignore')]);
    expect(await factOf(['ls-files', '--others', '--exclude-standard'])).toMatchObject({ code: 'git.waits' });
  },
);
