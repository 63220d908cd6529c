import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import { applyRestore } from '../restore/apply.ts';
import { planRestore } from '../restore/plan.ts';
import { createCheckpoint, finalizeCheckpoint } from './checkpoint.ts';
import { readNetChanges } from './contract-files.ts';
import { diffStep, timeline } from './timeline.ts';

const base = useGitHome('git', `${ADA}[protocol "file"]\n\tallow = always\n`);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const { git, put, get, commit, diverge } = workIn(() => cwd);
const create = (mode: 'ref' | 'commit' = 'ref', where = cwd, run?: number) =>
  createCheckpoint({
    cwd: where,
    label: 'before aish.write_file',
    toolName: 'write_file',
    ...{ mode, run },
    limits: USUAL_RETENTION,
    sessionId: 's1',
    at: 1_700_000_000_000,
  });
const step = async (change: () => unknown) => {
  const checkpoint = await create();
  await change();
  await finalizeCheckpoint(checkpoint);
  return checkpoint;
};
const undo = (id: string | null = null, paths?: readonly string[]) =>
  undoStep(paths === undefined ? { cwd, id } : { cwd, id, paths });
const files = (commit: string) =>
  git('ls-tree', '-r', '--name-only', commit)
    .split('\n')
    .filter((line) => line !== '');
/** All of the repository that is the user's. */
const personal = () => ({
  status: git('--no-optional-locks', 'status', '--porcelain=v2', '--branch', '-uall'),
  refs: git('for-each-ref')
    .split('\n')
    .filter((line) => !line.includes('refs/aish/')),
  stash: git('stash', 'list'),
  head: readFileSync(join(cwd, '.git/HEAD'), 'utf8'),
  config: readFileSync(join(cwd, '.git/config'), 'utf8'),
  index: existsSync(join(cwd, '.git/index')) ? readFileSync(join(cwd, '.git/index')).toString('hex') : null,
  logs: existsSync(join(cwd, '.git/logs'))
    ? execFileSync('grep', ['-r', '', join(cwd, '.git/logs')], { encoding: 'utf8' })
    : null,
});

test('a step of a run holds its own paths, and nothing that changed beside them', async () => {
  put('own', '1');
  put('user', '1');
  commit();
  const checkpoint = await create('ref', cwd, 1);
  put('own', '2');
  put('user', '2');
  put('user-new', '2');
  put('.gitignore', 'own-ignored\n');
  put('own-ignored', '2');
  const own = ['own', 'own-ignored', '.gitignore'].map((path) => join(cwd, path));
  expect(await finalizeCheckpoint(checkpoint, { wrote: new Set(own) })).toEqual({ dropped: false });
  expect(await readNetChanges(cwd, [checkpoint.id])).toEqual([
    { path: '.gitignore', kind: 'added' },
    { path: 'own', kind: 'changed' },
    { path: 'own-ignored', kind: 'added' },
  ]);
  await undo();
  const now = ['own', 'own-ignored', '.gitignore', 'user', 'user-new'].map(
    (path) => existsSync(join(cwd, path)) && get(path),
  );
  expect(now).toEqual(['1', false, false, '2', '2']);
  const empty = await create('ref', cwd, 1);
  put('user', '3');
  expect(await finalizeCheckpoint(empty, { wrote: new Set() })).toEqual({ dropped: true });
});

describe('a snapshot', () => {
  test('holds tracked and untracked files, but no ignored ones', async () => {
    put('tracked', '1');
    commit();
    put('.gitignore', 'secret\n');
    put('new', '2');
    put('secret', '3');
    expect(files((await create()).commit)).toEqual(['.gitignore', 'new', 'tracked']);
  });

  test('holds a tracked file that is also ignored, also once it changed', async () => {
    put('.gitignore', '*.log\n');
    put('a.log', '1');
    git('add', '-f', 'a.log');
    commit();
    await create();
    put('a.log', '22');
    const { commit: second } = await create();
    expect([files(second), git('show', `${second}:a.log`)]).toEqual([['.gitignore', 'a.log'], '22']);
  });

  test('honours the exclude files of the user and of the repository', async () => {
    put('.git/info/exclude', 'one\n');
    put('.git/mine', 'two\n');
    git('config', 'core.excludesFile', join(cwd, '.git/mine'));
    put('one', '1');
    put('two', '2');
    put('three', '3');
    expect(files((await create()).commit)).toEqual(['three']);
  });

  test('leaves files over 10 MB out and says so in its message', async () => {
    put('small', '1');
    put('large', Buffer.alloc(10_000_001));
    const { commit: made } = await create();
    expect([
      files(made),
      git('log', '-1', '--format=%B', made).replace(/^began: [\d.]+\nmodes: ""\nwithheld: ""\n/m, ''),
    ]).toEqual([
      ['small'],
      `before aish.write_file\n\nroot: ${JSON.stringify(cwd)}\nsession: "s1"\ntool: "write_file"\ncause: "tool"\nat: 1700000000000\nprocess: ${process.pid}\nleft-out: "large"\n\n`,
    ]);
  });

  test('leaves branch, HEAD, index, stash, config and reflog as they were', async () => {
    put('a', '1');
    put('b', '1');
    commit();
    put('a', 'stashed');
    git('stash');
    put('a', 'staged');
    git('add', 'a');
    put('a', 'dirty');
    put('c', 'untracked');
    rmSync(join(cwd, 'b'));
    const before = personal();
    await step(() => put('d', 'step'));
    await undo();
    expect(personal()).toEqual(before);
  });

  test('needs no commit in the repository', async () => {
    put('a', '1');
    expect(files((await create()).commit)).toEqual(['a']);
  });

  test('needs no identity', async () => {
    put('a', '1');
    const { commit: made } = await create();
    expect(git('log', '-1', '--format=%an <%ae> %cn', made)).toBe('aish <aish@localhost> aish\n');
  });

  test('leaves a submodule and other repositories inside alone', async () => {
    const other = mkdtempSync(join(base, 'other-'));
    execFileSync('git', ['init', '-q', other]);
    execFileSync('git', ['-C', other, 'commit', '-q', '--allow-empty', '-m', 'x']);
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub');
    commit();
    put('inner/.git/x', '');
    execFileSync('git', ['init', '-q', join(cwd, 'inner')]);
    put('inner/file', '1');
    put('sub/file', '1');
    const before = personal();
    expect(files((await create()).commit)).toEqual(['.gitmodules']);
    expect(personal()).toEqual(before);
  });

  test('keeps bytes that attributes and autocrlf would change', async () => {
    git('config', 'core.autocrlf', 'true');
    put(
      '.gitattributes',
      '* text=auto\n*.id ident\n*.big filter=lfs diff=lfs merge=lfs -text\n*.u16 working-tree-encoding=UTF-16\n',
    );
    put('a.txt', 'one\r\ntwo\r\n');
    put('b.id', '$Id: here $\n');
    put('c.big', 'content of a large file\n');
    put('d.u16', Buffer.from('\uFEFFhi', 'utf16le'));
    git('add', 'a.txt', 'b.id');
    git('commit', '-qm', 'x');
    const old = ['a.txt', 'b.id', 'c.big', 'd.u16'].map((name) => readFileSync(join(cwd, name)).toString('hex'));
    await step(() => {
      for (const name of ['a.txt', 'b.id', 'c.big', 'd.u16']) put(name, 'changed');
    });
    await undo();
    expect(['a.txt', 'b.id', 'c.big', 'd.u16'].map((name) => readFileSync(join(cwd, name)).toString('hex'))).toEqual(
      old,
    );
  });

  test('sees a file changed twice within one moment', async () => {
    put('a', '1');
    const trees: string[] = [];
    for (const content of ['2', '3', '4', '5']) {
      put('a', content);
      trees.push(git('show', `${(await create()).commit}:a`));
    }
    expect(trees).toEqual(['2', '3', '4', '5']);
  });

  test('is right in a directory below, on a detached HEAD and in a linked work tree', async () => {
    put('a', '1');
    commit();
    git('checkout', '-q', '--detach');
    put('sub/b', '1');
    expect(files((await create('ref', join(cwd, 'sub'))).commit)).toEqual(['a', 'sub/b']);
    const linked = `${cwd}-linked`;
    git('worktree', 'add', '-q', linked);
    writeFileSync(join(linked, 'c'), '1');
    const made = await create('ref', linked);
    expect([made.root, files(made.commit)]).toEqual([linked, ['a', 'c']]);
    expect((await timeline(cwd)).map((one) => one.id)).toEqual(['c1']);
    expect((await timeline(linked)).map((one) => one.id)).toEqual(['c2']);
  });

  test('is made during a merge with conflicts, and leaves the conflict open', async () => {
    diverge('a');
    expect(() => git('merge', 'side')).toThrow();
    const before = personal();
    const made = await create('commit');
    expect(made.label).toBe('before aish.write_file (not committed: a merge is in progress)');
    expect(git('show', `${made.commit}:a`)).toBe(get('a'));
    expect(personal()).toEqual(before);
  });

  test('is right in a sparse checkout: what is not there stays away', async () => {
    put('in/a', '1');
    put('out/b', '1');
    commit();
    git('sparse-checkout', 'set', 'in');
    const before = personal();
    await step(() => put('in/a', '2'));
    await undo();
    expect([get('in/a'), existsSync(join(cwd, 'out'))]).toEqual(['1', false]);
    expect(personal()).toEqual(before);
  });

  test('works in a repository with sha256 names', async () => {
    cwd = mkdtempSync(join(base, 'sha256-'));
    git('init', '-q', '--object-format=sha256');
    put('a', '1');
    await step(() => put('a', '2'));
    expect((await undo()).restored).toEqual(['a']);
    expect(get('a')).toBe('1');
  });

  test('starts over when the objects its index names are gone', async () => {
    put('a', 'only here');
    const made = await create();
    git('update-ref', '-d', made.ref);
    git('gc', '-q', '--prune=now');
    expect(git('show', `${(await create()).commit}:a`)).toBe('only here');
  });

  test('is made by many at once, each with an id of its own', async () => {
    put('a', '1');
    const made = await Promise.all(Array.from({ length: 6 }, () => create()));
    expect(made.map((one) => one.id).sort()).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6']);
  });

  test('is dropped once two hundred newer ones are kept', async () => {
    put('a', '1');
    const { commit: made } = await create();
    const lines = Array.from({ length: 210 }, (_, index) => `create refs/aish/c${index + 2}/before ${made}\n`).join('');
    execFileSync('git', ['update-ref', '--stdin'], { cwd, input: lines });
    await create();
    const names = git('for-each-ref', '--format=%(refname)', 'refs/aish')
      .split('\n')
      .filter((name) => name !== '');
    expect([names.length, names.includes('refs/aish/c12/before'), names.includes('refs/aish/c13/before')]).toEqual([
      200,
      false,
      true,
    ]);
  });
});

test('nothing a hostile repository configures is run', async () => {
  put('a.txt', '1\n');
  commit();
  const run = join(cwd, '.git/run.sh');
  put('.git/run.sh', `#!/bin/sh\ntouch ${cwd}/.git/ran\ncat\n`);
  chmodSync(run, 0o755);
  for (const name of [
    'pre-commit',
    'post-commit',
    'reference-transaction',
    'post-index-change',
    'post-checkout',
    'pre-auto-gc',
  ]) {
    put(`.git/hooks/${name}`, readFileSync(run));
    chmodSync(join(cwd, '.git/hooks', name), 0o755);
  }
  put('.gitattributes', '* filter=evil diff=evil merge=evil\n');
  put('.git/info/attributes', '* filter=evil diff=evil merge=evil\n');
  const settings = {
    'core.fsmonitor': run,
    'core.hooksPath': join(cwd, '.git/hooks'),
    'core.editor': run,
    'core.pager': run,
    'core.askPass': run,
    'core.sshCommand': run,
    'filter.evil.clean': run,
    'filter.evil.smudge': run,
    'filter.evil.process': run,
    'diff.evil.textconv': run,
    'diff.evil.command': run,
    'diff.external': run,
    'gpg.program': run,
    'commit.gpgSign': 'true',
    'credential.helper': run,
    'alias.diff-files': `!${run}`,
    'core.alternateRefsCommand': run,
    'merge.evil.driver': run,
    'merge.default': 'evil',
  };
  for (const [key, value] of Object.entries(settings)) git('config', key, value);
  // A planted private directory must not count either.
  put(
    '.git/aish/private/config',
    `[core]\n\tfsmonitor = ${run}\n[diff]\n\texternal = ${run}\n[filter "evil"]\n\tclean = ${run}\n`,
  );
  put('.git/aish/private/commondir', join(cwd, '.git'));
  put('.git/aish/private/info/attributes', '* filter=evil diff=evil merge=evil\n');
  await step(() => put('a.txt', '2\n'));
  await diffStep({ cwd, id: null, of: 'since' });
  await timeline(cwd);
  await undo();
  await step(() => put('a.txt', '1\n2\n3\n4\nstep\n'));
  put('a.txt', 'mine\n1\n2\n3\n4\nstep\n');
  for (const direction of ['undo', 'redo'] as const) {
    const plan = await planRestore({ cwd, id: null, direction });
    await applyRestore(plan, { 'a.txt': 'theirs' }, { limits: USUAL_RETENTION, sessionId: 's1' });
  }
  expect([get('a.txt'), existsSync(join(cwd, '.git/ran'))]).toEqual(['mine\n1\n2\n3\n4\nstep\n', false]);
});
