import { expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome, useRepository } from '../../../../test/support/git-place.ts';
import { readGit } from './git-process.ts';
import { readBranch, readWorkState } from './git-state.ts';

let cwd = '';
useRepository(useGitHome('git-state', ADA), (path) => {
  cwd = path;
});

const git = (...args: string[]) => readGit({ cwd, args }, 'prepare');
const work = () => readWorkState(cwd, new AbortController().signal);
const CLEAN = { isStaged: false, isChanged: false, isUntracked: false, isConflicted: false, ahead: 0, behind: 0 };

async function commit(name: string, text: string): Promise<void> {
  writeFileSync(join(cwd, name), text);
  await git('add', name);
  await git('commit', '-qm', name);
}

test('the branch is found from a folder below, and the commit where there is none', async () => {
  await commit('a', 'one\n');
  await git('switch', '-qc', 'topic/x');
  mkdirSync(join(cwd, 'deep/er'), { recursive: true });
  expect(await readBranch(join(cwd, 'deep/er'))).toMatchObject({ root: cwd, branch: 'topic/x', operation: null });
  await git('switch', '-q', '--detach');
  expect((await readBranch(cwd))?.branch).toMatch(/^[0-9a-f]{8}$/);
  expect(await readBranch('/')).toBeNull();
});

test('what differs is told, and a merge that waits', async () => {
  await commit('a', 'one\n');
  expect(await work()).toEqual(CLEAN);
  writeFileSync(join(cwd, 'a'), 'two\n');
  writeFileSync(join(cwd, 'b'), 'new\n');
  expect(await work()).toEqual({ ...CLEAN, isChanged: true, isUntracked: true });
  await git('add', '.');
  expect(await work()).toEqual({ ...CLEAN, isStaged: true });
  await git('commit', '-qm', 'two');
  const theirs = (await git('rev-parse', 'HEAD')).toString().trim();
  await git('switch', '-qc', 'other', 'HEAD~1');
  await commit('a', 'three\n');
  await git('merge', '-q', theirs).catch(() => {});
  expect(await work()).toMatchObject({ isConflicted: true });
  expect(await readBranch(cwd)).toMatchObject({ branch: 'other', operation: 'merge' });
});

test('no program that the repository names runs', async () => {
  await commit('.gitattributes', '* filter=evil\n');
  const ran = join(cwd, '.git', 'ran');
  const program = join(cwd, '.git', 'program');
  writeFileSync(program, `#!/bin/sh\ntouch ${ran}\ncat\n`);
  chmodSync(program, 0o755);
  await git('config', 'core.fsmonitor', program);
  for (const kind of ['clean', 'smudge', 'process']) await git('config', `filter.evil.${kind}`, program);
  mkdirSync(join(cwd, '.git/hooks'), { recursive: true });
  writeFileSync(join(cwd, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  writeFileSync(join(cwd, '.gitattributes'), '* filter=evil\n\n');
  expect(await readBranch(cwd)).not.toBeNull();
  expect(await work()).toMatchObject({ isChanged: true });
  expect(existsSync(ran)).toBe(false);
});

test('a state that nobody waits for any more is null', async () => {
  await commit('a', 'one\n');
  expect(await readWorkState(cwd, AbortSignal.abort())).toBeNull();
});
