import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureBlast } from './measure.ts';

// Each starts programs or threads, which take their time where many others run.
setDefaultTimeout(120_000);

const root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-merge-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A repository on `main` with a commit of its own behind `first`, and a branch `side` that changes `one` and `two` since then. */
class Repository {
  readonly folder = realpathSync(mkdtempSync(join(root, 'repository-')));

  constructor() {
    this.git('init', '-q', '-b', 'main');
    this.commit('first', { one: '1', two: '2', three: '3' });
    this.git('tag', 'first');
    this.git('checkout', '-qb', 'side');
    this.commit('side', { one: '1 of the side', two: '2 of the side' });
    this.git('checkout', '-q', 'main');
    this.commit('main', { two: '2 of main' });
  }

  git(...words: readonly string[]): void {
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...words], {
      cwd: this.folder,
      env: { PATH: process.env.PATH, HOME: root },
      stdio: 'ignore',
    });
  }

  commit(message: string, files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
    this.git('add', '-A');
    this.git('commit', '-qm', message);
  }

  async told(line: string) {
    const ground = { cwd: this.folder, project: this.folder, home: root };
    const { effects, unknown, notes } = await measureBlast(line, ground, new AbortController().signal, {
      limit: 30_000,
    });
    const files = effects.flatMap(({ kind, samples, maybe }) =>
      samples.map((path) => `${maybe === true ? 'maybe ' : ''}${kind} ${path.slice(this.folder.length + 1)}`),
    );
    return { files, unknown, notes };
  }
}

test('what one side alone has changed is written, and what both have changed may be', async () => {
  const { files, unknown } = await new Repository().told('git merge side');
  expect([files, unknown]).toEqual([['overwrites one', 'maybe overwrites two'], []]);
});

test('a rebase writes what the commits here hold once more', async () => {
  const repository = new Repository();
  repository.commit('more', { own: 'own' });
  expect((await repository.told('git rebase side')).files).toEqual([
    'overwrites one',
    'maybe overwrites two',
    'maybe overwrites own',
  ]);
});

test('a file in the way keeps git from all of it', async () => {
  const repository = new Repository();
  writeFileSync(join(repository.folder, 'one'), 'changed');
  const { files, notes } = await repository.told('git merge side');
  expect(files).toEqual(['maybe overwrites one', 'maybe overwrites two']);
  expect(notes).toContain(
    `${repository.folder}/one is not as it was committed: git merge would refuse, and change nothing`,
  );
});

test('where git puts changes aside first, it is not known what comes of them', async () => {
  const repository = new Repository();
  writeFileSync(join(repository.folder, 'three'), 'changed');
  repository.git('config', 'rebase.autoStash', 'true');
  expect((await repository.told('git rebase side')).unknown).toEqual([
    'which files git rebase changes: git could not tell',
  ]);
});

test('what has another name here is merged under that, so it is not known', async () => {
  const repository = new Repository();
  mkdirSync(join(repository.folder, 'folder'));
  renameSync(join(repository.folder, 'three'), join(repository.folder, 'folder/three'));
  repository.commit('renamed', {});
  expect((await repository.told('git merge side')).unknown).toEqual([
    'which files git merge changes: git could not tell',
  ]);
});

test('a program that merges may do anything, and is not started', async () => {
  const repository = new Repository();
  repository.git('config', 'merge.own.driver', `touch ${repository.folder}/started`);
  const { files, unknown } = await repository.told('git merge side');
  expect([files.length, unknown]).toEqual([2, ['what the programs do that git is told to merge with']]);
  expect((await repository.told('rm -f started')).files).toEqual([]);
});

test('the hooks that a merge starts are named', async () => {
  const repository = new Repository();
  mkdirSync(join(repository.folder, '.git/hooks'), { recursive: true });
  writeFileSync(join(repository.folder, '.git/hooks/post-merge'), '#!/bin/sh\n', { mode: 0o755 });
  expect((await repository.told('git merge side')).unknown).toEqual([
    'what the hook post-merge of the repository does',
  ]);
});

test('a branch that follows none has nothing to merge', async () => {
  expect((await new Repository().told('git merge')).notes).toContain(
    'git: there is no @{upstream}: git merge would fail',
  );
});
