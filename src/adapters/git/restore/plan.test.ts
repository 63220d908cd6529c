import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import type { PathPlan } from '../../../protocol/checkpoint.ts';
import { timeline } from '../snapshot/timeline.ts';
import { applyRestore } from './apply.ts';
import { readConflict } from './restore-source.ts';

const base = useGitHome('plan', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const { put, get } = workIn(() => cwd);
const { step, plan, run, states } = stepsIn(() => cwd);
const short = (paths: readonly PathPlan[]) =>
  paths.map(({ path, state, code = null, choices }) => ({ path, state, code, choices }));
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
    const restore = { state: 'restore', code: null, choices: [] };
    const conflict = { state: 'conflict', code: 'changed', choices: ['mine', 'theirs'] };
    expect(short(made.paths)).toEqual([
      { path: 'back', ...restore },
      { path: 'changed', ...conflict },
      { path: 'gone', ...conflict },
      { path: 'made', ...restore },
      { path: 'same', state: 'same', code: null, choices: [] },
    ] as never);
    expect((await timeline(cwd)).length).toBe(1);
  });

  test('offers a merge where the lines of the step and later ones stand apart', async () => {
    put('a', text('1', '2', '3', '4', '5', '6'));
    await step(() => put('a', text('1', '2', '3', '4', '5', 'step')));
    put('a', text('mine', '2', '3', '4', '5', 'step'));
    const made = await plan();
    expect(short(made.paths)).toEqual([
      { path: 'a', state: 'conflict', code: 'changed', choices: ['mine', 'theirs', 'merged'] },
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
        code: null,
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
    expect(short((await plan()).paths).filter(({ state }) => state === 'conflict')).toEqual([
      { path: 'logs/one', state: 'conflict', code: 'was-ignored', choices: ['mine', 'theirs'] },
      { path: 'secret', state: 'conflict', code: 'was-ignored', choices: ['mine', 'theirs'] },
    ]);
    expect((await run('undo')).restored).toEqual(['.gitignore', 'kept.tmp']);
    expect([get('secret'), get('logs/one')]).toEqual(['mine', 'mine']);
  });

  test('of what lies in another repository by now is refused', async () => {
    put('inner/a', '1');
    await step(() => put('inner/a', '2'));
    execFileSync('git', ['init', '-q', join(cwd, 'inner')]);
    expect(short((await plan()).paths)).toEqual([{ path: 'inner/a', state: 'refused', code: null, choices: [] }]);
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
    await applyRestore(
      await plan('undo', id, ['dir']),
      { 'dir/a': 'mine' },
      { limits: USUAL_RETENTION, sessionId: 's1' },
    );
    expect(await states()).toEqual(['c2 c1 done', 'c1  partly']);
    renameSync(join(cwd, 'dir'), join(cwd, 'elsewhere'));
    symlinkSync('elsewhere', join(cwd, 'dir'));
    await run('undo', id);
    expect([get('b'), get('elsewhere/a'), (await states()).at(-1)]).toEqual(['1', 'mine', 'c1  undone']);
  });

  test('"theirs" puts the old version back, and redo brings the user\'s again', async () => {
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
    const report = await applyRestore(made, { a: 'theirs' }, { limits: USUAL_RETENTION, sessionId: 's1' });
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
    await expect(run('redo', id)).rejects.toThrow('nothing to redo: c1 was not undone');
  });

  test('takes back what several undos of single paths took back', async () => {
    for (const name of ['a', 'b']) put(name, '1');
    const id = await step(() => {
      for (const name of ['a', 'b']) put(name, '2');
    });
    for (const name of ['a', 'b'])
      await applyRestore(await plan('undo', id, [name]), {}, { limits: USUAL_RETENTION, sessionId: 's1' });
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
