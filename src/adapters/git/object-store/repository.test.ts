import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useGitHome, useRepository } from '../../../../test/support/git-place.ts';
import { checkUndoable } from './repository.ts';

const base = useGitHome('repository', null);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

test('a directory below the root is undoable, and the root is told', async () => {
  mkdirSync(join(cwd, 'sub'));
  expect(await checkUndoable(join(cwd, 'sub'))).toEqual({ undoable: true, root: cwd });
});

describe('a checkpoint can be made too', () => {
  const commit = () =>
    git('-c', 'user.name=t', '-c', 'user.email=t@localhost', 'commit', '-q', '--allow-empty', '-m', 'x');

  test('in a linked work tree', async () => {
    commit();
    const linked = join(mkdtempSync(join(base, 'linked-')), 'tree');
    git('worktree', 'add', '-q', linked);
    expect(await checkUndoable(linked)).toEqual({ undoable: true, root: linked });
  });

  test('where the git data lies elsewhere', async () => {
    const tree = mkdtempSync(join(base, 'tree-'));
    execFileSync('git', ['init', '-q', '--separate-git-dir', join(mkdtempSync(join(base, 'data-')), 'data'), tree]);
    expect(await checkUndoable(tree)).toEqual({ undoable: true, root: tree });
  });

  test('in a submodule', async () => {
    commit();
    const above = mkdtempSync(join(base, 'above-'));
    const inAbove = (...args: string[]) => execFileSync('git', args, { cwd: above, stdio: 'ignore' });
    inAbove('init', '-q');
    inAbove('-c', 'protocol.file.allow=always', 'submodule', 'add', cwd, 'sub');
    expect(await checkUndoable(join(above, 'sub'))).toEqual({ undoable: true, root: join(above, 'sub') });
  });
});

test('a git that the repository brings is not taken, though the PATH begins with "."', async () => {
  writeFileSync(join(cwd, 'git'), '#!/bin/sh\ntouch ran\n');
  chmodSync(join(cwd, 'git'), 0o755);
  const path = process.env.PATH;
  process.env.PATH = `.::${path}`;
  const found = await checkUndoable(cwd);
  process.env.PATH = path;
  expect([found, existsSync(join(cwd, 'ran'))]).toEqual([{ undoable: true, root: cwd }, false]);
});

describe('where no checkpoint can be made', () => {
  test('outside a repository', async () => {
    const outside = mkdtempSync(join(base, 'plain-'));
    expect(await checkUndoable(outside)).toEqual({ undoable: false, why: 'this directory is not in a git repository' });
  });

  test('in a bare repository', async () => {
    const bare = mkdtempSync(join(base, 'bare-'));
    execFileSync('git', ['init', '-q', '--bare', bare]);
    expect(await checkUndoable(bare)).toEqual({
      undoable: false,
      why: 'this repository is bare, so it has no work tree',
    });
  });

  test('inside .git', async () => {
    expect(await checkUndoable(join(cwd, '.git'))).toEqual({
      undoable: false,
      why: 'this directory is inside the data of a git repository',
    });
  });

  test('where core.worktree points at a directory of somebody else', async () => {
    const victim = mkdtempSync(join(base, 'victim-'));
    git('config', 'core.worktree', victim);
    expect((await checkUndoable(join(cwd))).undoable).toBe(false);
  });

  test('where the .git file names the git data of another work tree', async () => {
    const planted = mkdtempSync(join(base, 'planted-'));
    writeFileSync(join(planted, '.git'), `gitdir: ${join(cwd, '.git')}\n`);
    expect(await checkUndoable(planted)).toEqual({
      undoable: false,
      why: `${join(planted, '.git')} points to the git data of another work tree, ${join(cwd, '.git')}`,
    });
  });

  test('where a made-up work tree claims the git data of another', async () => {
    const planted = mkdtempSync(join(base, 'planted-'));
    mkdirSync(join(planted, 'own'));
    writeFileSync(join(planted, '.git'), 'gitdir: own\n');
    writeFileSync(join(planted, 'own/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(planted, 'own/commondir'), `${join(cwd, '.git')}\n`);
    expect((await checkUndoable(planted)).undoable).toBe(false);
  });

  test('without git', async () => {
    const path = process.env.PATH;
    process.env.PATH = join(base, 'nothing');
    const found = await checkUndoable(cwd);
    process.env.PATH = path;
    expect(found).toEqual({
      undoable: false,
      why: 'cannot find git; install git, or check that it is on the PATH',
    });
  });

  test.skipIf(process.getuid?.() !== 0)('in a repository of another user', async () => {
    const folder = join(cwd, 'folder');
    mkdirSync(folder);
    execFileSync('chown', ['-R', '12345', cwd]);
    const found = await checkUndoable(folder);
    expect(found.undoable || found.why).toBe(
      `git does not trust this repository, because it belongs to another user; to trust it, run: git config --global --add safe.directory ${cwd}`,
    );
  });
});
