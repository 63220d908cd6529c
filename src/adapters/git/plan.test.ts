import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ADA, useGitHome, useRepository } from '../../../test/support/git-place.ts';
import type { PathPlan, RestoreChoices, RestoreDirection } from '../../protocol/checkpoint.ts';
import { toErrorFact } from '../../protocol/error.ts';
import { type ApplyOptions, applyRestore } from './apply.ts';
import { createCheckpoint, sealCheckpoint } from './checkpoint.ts';
import { readConflict } from './merge.ts';
import { planRestore } from './plan.ts';
import { diffStep, timeline } from './timeline.ts';

const base = useGitHome('plan', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const put = (name: string, content: string | Buffer) => {
  mkdirSync(dirname(join(cwd, name)), { recursive: true });
  writeFileSync(join(cwd, name), content);
};
const get = (name: string) => readFileSync(join(cwd, name), 'utf8');
const has = (name: string) => existsSync(join(cwd, name));
const OPTIONS = {
  label: 'before a step',
  toolName: 'write',
  mode: 'ref',
  sessionId: 's1',
  at: 1_700_000_000_000,
} as const;
const step = async (change: () => unknown) => {
  const checkpoint = await createCheckpoint({ ...OPTIONS, cwd });
  await change();
  await sealCheckpoint(checkpoint);
  return checkpoint.id;
};
const plan = (direction: RestoreDirection = 'undo', id: string | null = null, paths?: readonly string[]) =>
  planRestore(paths === undefined ? { cwd, id, direction } : { cwd, id, direction, paths });
const run = async (
  direction: RestoreDirection,
  id: string | null = null,
  choices: RestoreChoices = {},
  options: Partial<ApplyOptions> = {},
) => applyRestore(await plan(direction, id), choices, { sessionId: 's1', at: 1_700_000_000_001, ...options });
const short = (paths: readonly PathPlan[]) =>
  paths.map(({ path, state, why, choices }) => ({ path, state, why, choices }));
const states = async () => (await timeline(cwd)).map(({ id, of, state }) => [id, of, state].join(' '));
const text = (...lines: string[]) => `${lines.join('\n')}\n`;

describe('a plan', () => {
  test('tells of each path whether it can be put back, and changes nothing', async () => {
    for (const name of ['back', 'same', 'changed', 'gone']) put(name, '1');
    await step(() => {
      for (const name of ['back', 'same', 'changed', 'gone', 'made']) put(name, '2');
    });
    put('same', '1');
    put('changed', 'mine');
    rmSync(join(cwd, 'gone'));
    const made = await plan();
    expect([made.id, made.named, made.direction, made.label, made.at]).toEqual([
      'c1',
      'c1',
      'undo',
      'before a step',
      1_700_000_000_000,
    ]);
    const restore = { state: 'restore', why: '', choices: [] };
    const conflict = { state: 'conflict', why: 'it changed since', choices: ['mine', 'theirs'] };
    expect(short(made.paths)).toEqual([
      { path: 'back', ...restore },
      { path: 'changed', ...conflict },
      { path: 'gone', ...conflict },
      { path: 'made', ...restore },
      { path: 'same', state: 'same', why: '', choices: [] },
    ] as never);
    expect((await timeline(cwd)).length).toBe(1);
  });

  test('offers a merge where the lines of the step and later ones stand apart', async () => {
    put('a', text('1', '2', '3', '4', '5', '6'));
    await step(() => put('a', text('1', '2', '3', '4', '5', 'step')));
    put('a', text('mine', '2', '3', '4', '5', 'step'));
    const made = await plan();
    expect(short(made.paths)).toEqual([
      { path: 'a', state: 'conflict', why: 'it changed since', choices: ['mine', 'theirs', 'merged'] },
    ]);
    expect(Object.values(await readConflict(made, 'a')).map(String)).toEqual([
      text('mine', '2', '3', '4', '5', 'step'),
      text('1', '2', '3', '4', '5', '6'),
      text('mine', '2', '3', '4', '5', '6'),
    ]);
  });

  test('offers no merge where lines overlap, nor of binary files or links', async () => {
    const before = Buffer.concat([Buffer.from([0, 1]), Buffer.from(text('1', '2', '3', '4'))]);
    put('lines', text('1', '2'));
    put('binary', before);
    symlinkSync('one', join(cwd, 'link'));
    const link = (target: string) => {
      rmSync(join(cwd, 'link'));
      symlinkSync(target, join(cwd, 'link'));
    };
    await step(() => {
      put('lines', text('step', '2'));
      put('binary', Buffer.concat([before, Buffer.from('step')]));
      link('two');
    });
    put('lines', text('mine', '2'));
    put('binary', Buffer.concat([Buffer.from('mine'), before, Buffer.from('step')]));
    link('three');
    expect((await plan()).paths.map(({ choices }) => choices)).toEqual(Array(3).fill(['mine', 'theirs']) as never);
  });

  test('is for the paths that were named, and tells those the step did not change', async () => {
    put('dir/a', '1');
    await step(() => {
      put('dir/a', '2');
      put('b', '2');
    });
    const made = await plan('undo', null, ['dir', 'other']);
    expect([made.paths.map(({ path }) => path), made.unknown]).toEqual([['dir/a'], ['other']]);
  });

  test('goes on over a file that grew too large to be kept', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    truncateSync(join(cwd, 'a'), 10_000_001);
    expect(short((await plan()).paths)).toEqual([
      {
        path: 'a',
        state: 'refused',
        why: 'what is there now is too large, not readable or no plain file, so it could not be brought back',
        choices: [],
      },
    ]);
  });

  test('asks before a file goes that was ignored until the step', async () => {
    put('.gitignore', 'secret\nlogs/\n*.tmp\n!kept.tmp\n');
    put('secret', 'mine');
    put('logs/one', 'mine');
    await step(() => {
      rmSync(join(cwd, '.gitignore'));
      put('kept.tmp', 'by the step');
    });
    const why = 'git ignored it before, so it may be older than the step';
    expect(short((await plan()).paths).filter(({ state }) => state === 'conflict')).toEqual([
      { path: 'logs/one', state: 'conflict', why, choices: ['mine', 'theirs'] },
      { path: 'secret', state: 'conflict', why, choices: ['mine', 'theirs'] },
    ]);
    expect((await run('undo')).restored).toEqual(['.gitignore', 'kept.tmp']);
    expect([get('secret'), get('logs/one')]).toEqual(['mine', 'mine']);
  });

  test('of what lies in another repository by now is refused', async () => {
    put('inner/a', '1');
    await step(() => put('inner/a', '2'));
    execFileSync('git', ['init', '-q', join(cwd, 'inner')]);
    expect(short((await plan()).paths)).toEqual([
      { path: 'inner/a', state: 'refused', why: 'the path is inside another repository', choices: [] },
    ]);
  });
});

describe('a choice', () => {
  const conflict = async () => {
    put('a', text('1', '2', '3', '4', '5', '6'));
    await step(() => put('a', text('1', '2', '3', '4', '5', 'step')));
    put('a', text('mine', '2', '3', '4', '5', 'step'));
  };

  test('"mine" leaves the file, and the step counts as undone', async () => {
    await conflict();
    const { restored, refused, kept } = await run('undo', null, { a: 'mine' });
    expect([restored, refused, kept]).toEqual([[], [], ['a']]);
    expect([get('a'), await states()]).toEqual([
      text('mine', '2', '3', '4', '5', 'step'),
      ['c2 c1 done', 'c1  undone'],
    ]);
  });

  test('"mine" holds for a later undo of the rest, whatever stands in the way by then', async () => {
    put('dir/a', '1');
    put('b', '1');
    const id = await step(() => {
      put('dir/a', '2');
      put('b', '2');
    });
    put('dir/a', 'mine');
    await applyRestore(await plan('undo', id, ['dir']), { 'dir/a': 'mine' }, { sessionId: 's1' });
    expect(await states()).toEqual(['c2 c1 done', 'c1  partly']);
    renameSync(join(cwd, 'dir'), join(cwd, 'elsewhere'));
    symlinkSync('elsewhere', join(cwd, 'dir'));
    await run('undo', id);
    expect([get('b'), get('elsewhere/a'), (await states()).at(-1)]).toEqual(['1', 'mine', 'c1  undone']);
  });

  test('"theirs" puts the old version back, and redo brings the person\'s again', async () => {
    await conflict();
    expect((await run('undo', null, { a: 'theirs' })).restored).toEqual(['a']);
    expect(get('a')).toBe(text('1', '2', '3', '4', '5', '6'));
    await run('redo');
    expect(get('a')).toBe(text('mine', '2', '3', '4', '5', 'step'));
  });

  test('"merged" takes back the step alone', async () => {
    await conflict();
    expect((await run('undo', null, { a: 'merged' })).restored).toEqual(['a']);
    expect(get('a')).toBe(text('mine', '2', '3', '4', '5', '6'));
    await run('redo');
    expect(get('a')).toBe(text('mine', '2', '3', '4', '5', 'step'));
  });

  test('that was not made leaves the file and the step open', async () => {
    await conflict();
    put('b', '1');
    const { restored, refused, undo } = await run('undo');
    expect([restored, refused, undo]).toEqual([[], [{ path: 'a', why: 'it changed since' }], null]);
    expect(await states()).toEqual(['c1  done']);
  });

  test('that was not offered counts for none', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    put('a', '3');
    expect((await run('undo', null, { a: 'merged' })).refused).toEqual([{ path: 'a', why: 'it changed since' }]);
    expect(get('a')).toBe('3');
  });

  test('holds only for what was shown: a file that changed meanwhile is left', async () => {
    await conflict();
    const made = await plan();
    put('a', 'meanwhile');
    const report = await applyRestore(made, { a: 'theirs' }, { sessionId: 's1' });
    expect([report.restored, report.refused, report.undo]).toEqual([
      [],
      [{ path: 'a', why: 'it changed since' }],
      null,
    ]);
    expect(get('a')).toBe('meanwhile');
  });
});

describe('redo', () => {
  test('goes forward as undo went back', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    await step(() => put('a', '3'));
    await run('undo');
    await run('undo');
    expect(get('a')).toBe('1');
    expect(await states()).toEqual(['c4 c1 done', 'c3 c2 done', 'c2  undone', 'c1  undone']);
    expect((await run('redo')).checkpoint).toBe('c1');
    expect(get('a')).toBe('2');
    expect((await run('redo')).checkpoint).toBe('c2');
    expect(get('a')).toBe('3');
    await expect(run('redo')).rejects.toThrow('there is nothing to redo');
    expect((await states()).slice(4)).toEqual(['c2  done', 'c1  done']);
  });

  test('of any undone step leaves what came later', async () => {
    put('a', '1');
    const first = await step(() => put('a', '2'));
    await run('undo', first);
    await step(() => put('b', '2'));
    await run('redo', first);
    expect([get('a'), get('b')]).toEqual(['2', '2']);
  });

  test('leaves a file that changed since the undo, and offers both', async () => {
    put('a', text('1', '2', '3', '4', '5'));
    await step(() => put('a', text('1', '2', '3', '4', 'step')));
    await run('undo');
    put('a', text('mine', '2', '3', '4', '5'));
    expect((await plan('redo')).paths[0]?.choices).toEqual(['mine', 'theirs', 'merged']);
    await run('redo', null, { a: 'merged' });
    expect(get('a')).toBe(text('mine', '2', '3', '4', 'step'));
  });

  test('of a step that was not undone says so', async () => {
    put('a', '1');
    const id = await step(() => put('a', '2'));
    await expect(run('redo', id)).rejects.toThrow('there is nothing to redo: c1 was not undone');
  });

  test('takes back what several undos of single paths took back', async () => {
    for (const name of ['a', 'b']) put(name, '1');
    const id = await step(() => {
      for (const name of ['a', 'b']) put(name, '2');
    });
    for (const name of ['a', 'b']) await applyRestore(await plan('undo', id, [name]), {}, { sessionId: 's1' });
    expect((await states()).at(-1)).toBe('c1  undone');
    await run('redo', id);
    expect([get('a'), get('b'), (await states()).at(-1)]).toEqual(['2', '2', 'c1  done']);
  });

  test('can be undone by its own id', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    await run('undo');
    const { undo } = await run('redo');
    await run('undo', undo?.id ?? '');
    expect([get('a'), (await states()).at(-1)]).toEqual(['1', 'c1  undone']);
  });
});

describe('undo', () => {
  test('of an older step leaves what later steps did to other paths', async () => {
    put('a', '1');
    const first = await step(() => put('a', '2'));
    await step(() => put('b', '2'));
    await run('undo', first);
    expect([get('a'), get('b'), await states()]).toEqual(['1', '2', ['c3 c1 done', 'c2  done', 'c1  undone']]);
  });

  test('of a step that the person took back by hand marks it, so that the next is for the step before', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    await step(() => put('b', '2'));
    rmSync(join(cwd, 'b'));
    expect((await run('undo')).restored).toEqual([]);
    expect((await run('undo')).restored).toEqual(['a']);
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
    expect((await run('undo')).refused).toEqual([{ path: 'a', why: 'a directory with other files is in its place' }]);
    expect([get('a/mine'), await states()]).toEqual(['1', ['c2 c1 done', 'c1  partly']]);
  });

  test('leaves a file that took the place of a directory', async () => {
    put('dir/a', '1');
    await step(() => rmSync(join(cwd, 'dir'), { recursive: true }));
    put('dir', 'mine');
    expect((await run('undo')).refused).toEqual([{ path: 'dir/a', why: 'a file is where its directory was' }]);
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
    put('a', '1');
    git('add', '.');
    git('commit', '-qm', 'one');
    git('checkout', '-qb', 'side');
    put('a', 'side');
    git('commit', '-qam', 'side');
    git('checkout', '-q', 'main');
    put('a', 'main');
    git('commit', '-qam', 'main');
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
    const inSub = { ...OPTIONS, cwd: join(cwd, 'sub') };
    const checkpoint = await createCheckpoint(inSub);
    put('sub/file', '2');
    await sealCheckpoint(checkpoint);
    const made = await planRestore({ cwd: join(cwd, 'sub'), id: null, direction: 'undo' });
    await applyRestore(made, {}, { sessionId: 's1' });
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

describe('the timeline', () => {
  test('tells of each step its cause, its counts and whether it is undone', async () => {
    put('a', '1');
    put('b', '1');
    const checkpoint = await createCheckpoint({ ...OPTIONS, cwd, cause: 'command-line', toolName: 'exec' });
    put('a', '2');
    put('c', '2');
    rmSync(join(cwd, 'b'));
    await sealCheckpoint(checkpoint);
    await run('undo');
    await createCheckpoint({ ...OPTIONS, cwd });
    const steps = (await timeline(cwd)).map(({ commit: _, ref: __, root: ___, label, ...rest }) => ({
      label,
      ...rest,
    }));
    const { at } = OPTIONS;
    expect(steps).toEqual([
      {
        id: 'c3',
        label: 'before a step',
        at,
        sessionId: 's1',
        toolName: 'write',
        cause: 'tool',
        of: null,
        counts: null,
        state: 'done',
      },
      {
        id: 'c2',
        label: 'before undo of c1',
        at: at + 1,
        sessionId: 's1',
        toolName: 'undo',
        cause: 'undo',
        of: 'c1',
        counts: { added: 1, changed: 1, removed: 1 },
        state: 'done',
      },
      {
        id: 'c1',
        label: 'before a step',
        at,
        sessionId: 's1',
        toolName: 'exec',
        cause: 'command-line',
        of: null,
        counts: { added: 1, changed: 1, removed: 1 },
        state: 'undone',
      },
    ]);
  });
});

describe('a diff', () => {
  test('of a step leaves out what came later, and one since the step does not', async () => {
    put('a', '1\n');
    put('b', '1\n');
    const id = await step(() => put('a', '2\n'));
    put('b', '2\n');
    const lines = async (of: 'step' | 'since', paths: readonly string[] = []) =>
      (await diffStep({ cwd, id, of, paths })).split('\n').filter((line) => /^[+-]/.test(line));
    expect(await lines('step')).toEqual(['--- a/a', '+++ b/a', '-1', '+2']);
    expect(await lines('since')).toEqual(['--- a/a', '+++ b/a', '-1', '+2', '--- a/b', '+++ b/b', '-1', '+2']);
    expect(await lines('since', ['b'])).toEqual(['--- a/b', '+++ b/b', '-1', '+2']);
  });
});

test('no filter is run by a checkpoint, an undo or a redo, whoever configured it', async () => {
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
    const error = await createCheckpoint({ ...OPTIONS, cwd }).catch((thrown: unknown) => thrown);
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
    expect(await explain()).toBe('no checkpoint can be made in .: not inside a git repository: ./.git is broken');
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
    expect([restored, refused]).toEqual([['b'], [{ path: 'a', why: 'its content is missing in the repository' }]]);
    expect([get('a'), get('b')]).toEqual(['2', '1']);
  });
});
