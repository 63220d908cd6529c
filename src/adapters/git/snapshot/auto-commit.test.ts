import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ADA, useGitHome, useRepository } from '../../../../test/support/git-place.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import { createCheckpoint, finalizeCheckpoint } from './checkpoint.ts';

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
const OPTIONS = {
  label: 'before aish.write_file',
  toolName: 'write_file',
  mode: 'commit',
  limits: USUAL_RETENTION,
  sessionId: 's1',
  at: 1_700_000_000_000,
} as const;
const create = (...touches: readonly string[]) =>
  createCheckpoint({ ...OPTIONS, cwd, touches: touches.map((path) => join(cwd, path)) });

describe('mode "commit"', () => {
  test("commits what the step names, under the user's name, and keeps a private ref too", async () => {
    put('a', '1');
    const made = await create('a');
    expect(git('log', '--format=%s|%an|%ae')).toBe('aish auto-commit before write_file|Ada|ada@example.org\n');
    expect([git('status', '--porcelain'), git('rev-parse', made.ref).trim()]).toEqual(['', made.commit]);
  });

  test('leaves all else as it is: changed, staged and new', async () => {
    for (const name of ['named', 'changed', 'staged']) put(name, '1');
    commit();
    for (const name of ['named', 'changed', 'staged', 'new', 'added']) put(name, '2');
    git('add', 'staged', 'added');
    await create('named');
    expect([git('show', '--format=', '--name-only', 'HEAD'), git('status', '--porcelain')]).toEqual([
      'named\n',
      'A  added\n M changed\nM  staged\n?? new\n',
    ]);
  });

  test('leaves out what is staged in a version that lies nowhere else, and says so', async () => {
    for (const name of ['third', 'gone', 'back', 'untracked', 'plain']) put(name, '1');
    commit();
    for (const name of ['third', 'gone', 'back', 'plain', 'new']) put(name, 'staged');
    git('add', '.');
    git('rm', '-q', '--cached', 'untracked');
    for (const name of ['third', 'new']) put(name, 'later');
    put('back', '1');
    rmSync(join(cwd, 'gone'));
    const { label } = await create('third', 'gone', 'back', 'untracked', 'new', 'plain');
    expect([
      label,
      git('show', '--format=', '--name-only', 'HEAD'),
      git('show', ':third'),
      git('show', ':new'),
    ]).toEqual([
      'before aish.write_file (not committed: back and 4 more, because another version is staged)',
      'plain\n',
      'staged',
      'staged',
    ]);
    expect(git('status', '--porcelain')).toBe('MM back\nMD gone\nAM new\nMM third\nD  untracked\n?? untracked\n');
  });

  test('takes in what is staged as it lies there, though its times changed since', async () => {
    put('a', '1');
    commit();
    put('a', 'staged');
    git('add', 'a');
    utimesSync(join(cwd, 'a'), 1, 1);
    expect([(await create('a')).label, git('show', 'HEAD:a')]).toEqual(['before aish.write_file', 'staged']);
  });

  test('leaves out what a merge of the stash left in conflict', async () => {
    put('a', '1');
    commit();
    put('a', 'stashed');
    git('stash');
    put('a', 'committed');
    git('commit', '-qam', 'second');
    expect(() => git('stash', 'pop')).toThrow();
    await create('a');
    expect([git('log', '-1', '--format=%s'), git('status', '--porcelain')]).toEqual(['second\n', 'UU a\n']);
  });

  test('commits what an earlier step of the session changed, and no other session', async () => {
    put('a', '1');
    commit();
    const first = await create();
    put('by-step', '1');
    await finalizeCheckpoint(first);
    put('by-user', '1');
    await createCheckpoint({ ...OPTIONS, cwd, sessionId: 's2' });
    expect(git('log', '-1', '--format=%s')).toBe('first\n');
    await create();
    expect(git('status', '--porcelain')).toBe('?? by-user\n');
  });

  test('commits nothing that another session changed at the same time as an earlier step', async () => {
    put('a', '1');
    commit();
    const first = await create();
    const other = await createCheckpoint({ ...OPTIONS, cwd, sessionId: 's2' });
    put('by-user', '1');
    await finalizeCheckpoint(other);
    put('by-step', '1');
    await finalizeCheckpoint(first);
    await create();
    expect(git('status', '--porcelain')).toBe('?? by-user\n');
  });

  test('takes in a file that is named whether or not it is staged, and none that git ignores', async () => {
    put('.gitignore', 'secret\n');
    put('secret', '1');
    put('staged', '1');
    git('add', 'staged');
    await create('staged', 'secret', '.git/config', '../outside', 'nowhere');
    expect(git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('staged\n');
  });

  test('goes on without a commit when nothing that is named changed', async () => {
    put('a', '1');
    commit();
    put('b', '1');
    await create('a');
    expect(git('log', '--format=%s')).toBe('first\n');
  });

  test('goes on in an empty repository', async () => {
    expect((await create()).id).toBe('c1');
  });

  test('writes the reflog as a commit does', async () => {
    put('a', '1');
    commit();
    put('a', '2');
    await create('a');
    expect(git('reflog', '-1', '--format=%gs')).toBe('commit: aish auto-commit before write_file\n');
  });

  test('needs no identity and runs no hooks', async () => {
    renameSync(join(base, 'home/.gitconfig'), join(base, 'home/away'));
    put('.git/hooks/pre-commit', `#!/bin/sh\ntouch ${cwd}/.git/ran\nexit 1\n`);
    for (const hook of ['post-commit', 'reference-transaction', 'prepare-commit-msg', 'post-index-change'])
      put(`.git/hooks/${hook}`, `#!/bin/sh\ntouch ${cwd}/.git/ran\n`);
    for (const hook of readdirSync(join(cwd, '.git/hooks'))) chmodSync(join(cwd, '.git/hooks', hook), 0o755);
    put('a', '1');
    await create('a');
    renameSync(join(base, 'home/away'), join(base, 'home/.gitconfig'));
    expect([git('log', '--format=%an <%ae>'), existsSync(join(cwd, '.git/ran'))]).toEqual([
      'aish <aish@localhost>\n',
      false,
    ]);
  });

  test("commits under the name that the user's environment gives", async () => {
    process.env.GIT_AUTHOR_NAME = 'Grace';
    put('a', '1');
    await create('a');
    delete process.env.GIT_AUTHOR_NAME;
    expect(git('log', '--format=%an|%cn')).toBe('Grace|Ada\n');
  });

  test('signs as the user signs', async () => {
    const key = join(cwd, '.git/key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    const settings = join(base, 'home/.gitconfig');
    writeFileSync(settings, `${ADA}[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = ${key}\n[commit]\n\tgpgSign = true\n`);
    put('a', '1');
    await create('a');
    writeFileSync(settings, ADA);
    expect(git('cat-file', '-p', 'HEAD')).toContain('gpgsig -----BEGIN SSH SIGNATURE-----');
  });

  test('starts no program that the repository names for signing, and says that it cannot sign', async () => {
    put('.git/run.sh', `#!/bin/sh\ntouch ${cwd}/.git/ran\n`);
    chmodSync(join(cwd, '.git/run.sh'), 0o755);
    for (const name of [
      'gpg.program',
      'gpg.openpgp.program',
      'gpg.ssh.program',
      'gpg.x509.program',
      'gpg.ssh.defaultKeyCommand',
    ])
      git('config', name, join(cwd, '.git/run.sh'));
    git('config', 'commit.gpgSign', 'true');
    for (const format of ['openpgp', 'ssh', 'x509']) {
      git('config', 'gpg.format', format);
      put('a', format);
      await expect(create('a')).rejects.toThrow('cannot sign the commit');
    }
    expect([existsSync(join(cwd, '.git/ran')), git('status', '--porcelain')]).toEqual([false, '?? a\n']);
  });

  test('leaves the index in step with the branch', async () => {
    put('a', '1');
    commit();
    put('a', '2');
    await create('a');
    expect([git('diff', '--cached', '--name-only'), git('diff', '--name-only')]).toEqual(['', '']);
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
    const all = ['changed', 'deleted', 'moved', 'renamed', 'file', 'file/inner', 'folder', 'folder/inner'];
    await create(...all, 'linked', 'linked/inner', 'aside/inner');
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
    await create('a', 'inner', 'inner/file');
    expect([existsSync(join(cwd, '.git/ran')), git('log', '-1', '--format=%s')]).toEqual([
      false,
      'aish auto-commit before write_file\n',
    ]);
  });

  test('fails rather than run a filter the repository brings', async () => {
    git('config', 'filter.evil.clean', `touch ${cwd}/.git/ran; cat`);
    put('.gitattributes', '* filter=evil\n');
    await expect(create('.gitattributes')).rejects.toThrow('cannot stage the changes');
    expect(existsSync(join(cwd, '.git/ran'))).toBe(false);
  });
});
