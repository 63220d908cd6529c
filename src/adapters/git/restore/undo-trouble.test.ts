import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import { toErrorFact } from '../../../protocol/error.ts';
import { createCheckpoint, finalizeCheckpoint } from '../snapshot/checkpoint.ts';
import { timeline } from '../snapshot/timeline.ts';
import { applyRestore } from './apply.ts';
import { planRestore } from './plan.ts';

const base = useGitHome('trouble', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const { git, put, get, has, diverge } = workIn(() => cwd);
const { step, run, states } = stepsIn(() => cwd);

describe('undo', () => {
  test('of an older step leaves what later steps did to other paths', async () => {
    put('a', '1');
    const first = await step(() => put('a', '2'));
    await step(() => put('b', '2'));
    await run('undo', first);
    expect([get('a'), get('b'), await states()]).toEqual(['1', '2', ['c3 c1 done', 'c2  done', 'c1  undone']]);
  });

  test('of a step that the user took back by hand marks it, so that the next is for the step before', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    await step(() => put('b', '2'));
    rmSync(join(cwd, 'b'));
    expect((await run('undo')).restored).toEqual([]);
    expect((await run('undo')).restored).toEqual(['a']);
  });

  test('of a step whose files another branch has otherwise says so once, and takes it where they are', async () => {
    put('a', '1');
    git('add', '.');
    git('commit', '-qm', 'one');
    await step(() => put('b', '2'));
    await step(() => put('a', '2'));
    git('commit', '-qam', 'two');
    git('checkout', '-q', 'HEAD~1');
    expect([(await run('undo')).restored, (await states()).at(-2)]).toEqual([[], 'c2  done']);
    expect((await run('undo')).restored).toEqual(['b']);
    await expect(run('undo')).rejects.toMatchObject({
      message: 'there is nothing to undo in this work tree',
      hint: 'none of the files of c2 match (another branch?); :undo c2 tries that step again',
    });
    git('checkout', '-q', 'main');
    expect([(await run('undo')).restored, (await states()).slice(-2)]).toEqual([['a'], ['c2  undone', 'c1  undone']]);
  });

  test('of which nothing can be taken back says so once, and a redo likewise', async () => {
    put('inner/a', '1');
    put('b', '1');
    await step(() => put('b', '2'));
    await step(() => put('inner/a', '2'));
    await run('undo');
    execFileSync('git', ['init', '-q', join(cwd, 'inner')]);
    expect([(await run('redo')).refused.length, (await states()).at(-2)]).toEqual([1, 'c2  undone']);
    await expect(run('redo')).rejects.toThrow('there is nothing to redo');
    expect((await run('undo')).restored).toEqual(['b']);
    expect((await run('redo')).restored).toEqual(['b']);
  });

  test('keeps what it takes away even where git ignores it by now', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    put('.gitignore', 'a\n');
    rmSync(join(cwd, '.git/aish'), { recursive: true });
    put('a', 'mine');
    const { undo } = await run('undo', null, { a: 'theirs' });
    expect([get('a'), git('show', `${undo?.commit}:a`)]).toEqual(['1', 'mine']);
    await run('redo');
    expect(get('a')).toBe('mine');
  });

  test('of a rename puts both names back, modes and bytes too', async () => {
    put('old name', 'a\r\nb\r\n');
    chmodSync(join(cwd, 'old name'), 0o755);
    await step(() => {
      renameSync(join(cwd, 'old name'), join(cwd, 'new name'));
      chmodSync(join(cwd, 'new name'), 0o644);
    });
    await run('undo');
    expect([get('old name'), lstatSync(join(cwd, 'old name')).mode & 0o777, has('new name')]).toEqual([
      'a\r\nb\r\n',
      0o755,
      false,
    ]);
    await run('redo');
    expect([has('old name'), get('new name')]).toEqual([false, 'a\r\nb\r\n']);
  });

  test('leaves a directory with other files that took the place of a file, and says so', async () => {
    put('a', '1');
    await step(() => rmSync(join(cwd, 'a')));
    put('a/mine', '1');
    expect((await run('undo')).refused).toEqual([
      { path: 'a', why: 'a folder with other files is in its place; move it away first' },
    ]);
    expect([get('a/mine'), await states()]).toEqual(['1', ['c2 c1 done', 'c1  done']]);
  });

  test('leaves a file that took the place of a directory', async () => {
    put('dir/a', '1');
    await step(() => rmSync(join(cwd, 'dir'), { recursive: true }));
    put('dir', 'mine');
    expect((await run('undo')).refused).toEqual([
      { path: 'dir/a', why: 'a file is where its folder was; move it away first' },
    ]);
    expect(get('dir')).toBe('mine');
  });

  test('goes on to the step before once all was told that cannot be taken back', async () => {
    put('inner/a', '1');
    put('b', '1');
    await step(() => put('b', '2'));
    await step(() => {
      put('inner/a', '2');
      put('b', '3');
    });
    execFileSync('git', ['init', '-q', join(cwd, 'inner')]);
    expect((await run('undo')).refused).toEqual([{ path: 'inner/a', why: 'the path is inside another repository' }]);
    expect((await run('undo')).checkpoint).toBe('c1');
    expect([get('inner/a'), get('b')]).toEqual(['2', '1']);
  });

  test('works during a rebase and leaves it as it is', async () => {
    diverge('a');
    expect(() => git('rebase', 'side')).toThrow();
    const during = [get('a'), git('status', '--porcelain=v2'), readdirSync(join(cwd, '.git')).includes('rebase-merge')];
    await step(() => put('a', 'solved by the model'));
    await run('undo');
    expect([
      get('a'),
      git('status', '--porcelain=v2'),
      readdirSync(join(cwd, '.git')).includes('rebase-merge'),
    ]).toEqual(during);
  });

  test('takes back a sparse checkout that a step narrowed', async () => {
    put('in/a', '1');
    put('out/b', '1');
    git('add', '.');
    git('commit', '-qm', 'one');
    await step(() => git('sparse-checkout', 'set', 'in'));
    expect((await run('undo')).restored).toEqual(['out/b']);
    expect(get('out/b')).toBe('1');
  });

  test('in a submodule is for the submodule, and none is made for it above', async () => {
    const other = mkdtempSync(join(base, 'other-'));
    execFileSync('git', ['init', '-q', other]);
    writeFileSync(join(other, 'file'), '1');
    execFileSync('git', ['-C', other, 'add', '.']);
    execFileSync('git', ['-C', other, 'commit', '-qm', 'x']);
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub');
    const inSub = { ...STEP, cwd: join(cwd, 'sub') };
    const checkpoint = await createCheckpoint(inSub);
    put('sub/file', '2');
    await finalizeCheckpoint(checkpoint);
    const made = await planRestore({ cwd: join(cwd, 'sub'), id: null, direction: 'undo' });
    await applyRestore(made, {}, { limits: USUAL_RETENTION, sessionId: 's1' });
    expect([checkpoint.root, get('sub/file'), await timeline(cwd)]).toEqual([join(cwd, 'sub'), '1', []]);
  });
});

test('a number that a kill left locked is passed over', async () => {
  put('a', '1');
  put('.git/refs/aish/c1/before.lock', '');
  expect(await step(() => put('a', '2'))).toBe('c2');
  await run('undo');
  expect(get('a')).toBe('1');
});

test('no filter is run by a checkpoint, an undo or a redo, no matter who configured it', async () => {
  const ran = join(cwd, '.git/ran');
  put('.gitattributes', '* filter=lfs\n');
  for (const name of ['clean', 'smudge', 'process'])
    execFileSync('git', ['config', '--global', `filter.lfs.${name}`, `touch ${ran}; cat`], { cwd });
  put('a', '1\n');
  await step(() => put('a', '2\n'));
  await run('undo');
  await run('redo');
  for (const name of ['clean', 'smudge', 'process'])
    execFileSync('git', ['config', '--global', '--unset', `filter.lfs.${name}`], { cwd });
  expect([get('a'), existsSync(ran)]).toEqual(['2\n', false]);
});

describe('in a broken repository', () => {
  const explain = async () => {
    const error = await createCheckpoint({ ...STEP, cwd }).catch((thrown: unknown) => thrown);
    return toErrorFact(error).message.replaceAll(cwd, '.');
  };

  test('with an index that is no index, a checkpoint says so and the index stays', async () => {
    put('a', '1');
    git('add', 'a');
    put('.git/index', 'broken');
    expect(await explain()).toBe('cannot list the tracked files: fatal: .git/index: index file smaller than expected');
    expect([get('.git/index'), get('a')]).toEqual(['broken', '1']);
  });

  test('with a HEAD that is none, a checkpoint says that there is no repository', async () => {
    put('.git/HEAD', 'broken');
    expect(await explain()).toBe('git finds no repository here, because ./.git is broken');
  });

  test('whose last commit lost its objects, undo still works', async () => {
    put('a', '1');
    git('add', 'a');
    git('commit', '-qm', 'one');
    const [tree = ''] = git('rev-parse', 'HEAD^{tree}').split('\n');
    rmSync(join(cwd, '.git/objects', tree.slice(0, 2), tree.slice(2)));
    await step(() => put('a', '2'));
    await run('undo');
    expect(get('a')).toBe('1');
  });

  test('whose checkpoint lost a file, undo says so and puts the others back', async () => {
    put('a', 'only here');
    put('b', '1');
    await step(() => {
      put('a', '2');
      put('b', '2');
    });
    const blob = git('rev-parse', 'refs/aish/c1/before:a').trim();
    rmSync(join(cwd, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    const { restored, refused } = await run('undo');
    expect([restored, refused]).toEqual([
      ['b'],
      [{ path: 'a', why: "the file's content is missing in the repository" }],
    ]);
    expect([get('a'), get('b')]).toEqual(['2', '1']);
  });
});
