import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ADA, useGitHome, useRepository } from '../../../test/support/git-place.ts';
import { createCheckpoint } from './checkpoint.ts';

const base = useGitHome('commit', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const put = (name: string, content: string) => {
  mkdirSync(dirname(join(cwd, name)), { recursive: true });
  writeFileSync(join(cwd, name), content);
};
const commit = () => {
  git('add', '-A');
  git('commit', '-qm', 'first');
};
const create = (mode: 'commit') =>
  createCheckpoint({
    cwd,
    label: 'before aish.write_file',
    toolName: 'write_file',
    mode,
    sessionId: 's1',
    at: 1_700_000_000_000,
  });

describe('mode "commit"', () => {
  test("commits everything on the branch, under the person's name, and keeps a private ref too", async () => {
    put('a', '1');
    const made = await create('commit');
    expect(git('log', '--format=%s|%an|%ae')).toBe('aish auto-commit before write_file|Ada|ada@example.org\n');
    expect([git('status', '--porcelain'), git('rev-parse', made.ref).trim()]).toEqual(['', made.commit]);
  });

  test('goes on without a commit when the tree is clean', async () => {
    put('a', '1');
    commit();
    const made = await create('commit');
    expect(git('log', '--format=%s')).toBe('first\n');
    expect(git('rev-parse', `${made.commit}^{tree}`)).toBe(git('rev-parse', 'HEAD^{tree}'));
  });

  test('goes on in an empty repository', async () => {
    expect((await create('commit')).id).toBe('c1');
  });

  test('needs no identity, runs no hooks and signs nothing', async () => {
    renameSync(join(base, 'home/.gitconfig'), join(base, 'home/away'));
    put('.git/hooks/pre-commit', `#!/bin/sh\ntouch ${cwd}/.git/ran\nexit 1\n`);
    chmodSync(join(cwd, '.git/hooks/pre-commit'), 0o755);
    git('config', 'commit.gpgSign', 'true');
    put('a', '1');
    await create('commit');
    renameSync(join(base, 'home/away'), join(base, 'home/.gitconfig'));
    expect([git('log', '--format=%an <%ae>'), existsSync(join(cwd, '.git/ran'))]).toEqual([
      'aish <aish@localhost>\n',
      false,
    ]);
  });

  test('stages what was changed, deleted, renamed, and changed in kind', async () => {
    for (const name of ['changed', 'deleted', 'file', 'folder/inner', 'linked/inner']) {
      mkdirSync(join(cwd, dirname(name)), { recursive: true });
      put(name, '1');
    }
    put('moved', 'a long enough text to be known again\n');
    commit();
    put('changed', '2');
    rmSync(join(cwd, 'deleted'));
    renameSync(join(cwd, 'moved'), join(cwd, 'renamed'));
    rmSync(join(cwd, 'file'));
    mkdirSync(join(cwd, 'file'));
    put('file/inner', 'in a folder now');
    rmSync(join(cwd, 'folder'), { recursive: true });
    put('folder', 'a file now');
    renameSync(join(cwd, 'linked'), join(cwd, 'aside'));
    symlinkSync('aside', join(cwd, 'linked'));
    await create('commit');
    expect([git('status', '--porcelain'), git('ls-files').trim().split('\n')]).toEqual([
      '',
      ['aside/inner', 'changed', 'file/inner', 'folder', 'linked', 'renamed'],
    ]);
  });

  test('starts no filter that a submodule brings', async () => {
    const inner = join(cwd, 'inner');
    mkdirSync(inner);
    const inInner = (...args: string[]) => execFileSync('git', args, { cwd: inner });
    inInner('init', '-q');
    writeFileSync(join(inner, 'file'), 'a');
    inInner('add', '-A');
    inInner('commit', '-qm', 'inner');
    git('add', 'inner');
    commit();
    inInner('config', 'filter.evil.clean', `touch ${cwd}/.git/ran; cat`);
    writeFileSync(join(inner, '.gitattributes'), '* filter=evil\n');
    writeFileSync(join(inner, 'file'), 'b');
    put('a', '1');
    await create('commit');
    expect([existsSync(join(cwd, '.git/ran')), git('log', '-1', '--format=%s')]).toEqual([
      false,
      'aish auto-commit before write_file\n',
    ]);
  });

  test('fails rather than run a filter the repository brings', async () => {
    git('config', 'filter.evil.clean', `touch ${cwd}/.git/ran; cat`);
    put('.gitattributes', '* filter=evil\n');
    await expect(create('commit')).rejects.toThrow('cannot stage the changes');
    expect(existsSync(join(cwd, '.git/ran'))).toBe(false);
  });
});
