import { describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  lstatSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statfsSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import { applyRestore } from '../restore/apply.ts';
import { createCheckpoint, finalizeCheckpoint } from './checkpoint.ts';

const base = useGitHome('older', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const { git, put, get, has } = workIn(() => cwd);
const { step, run, plan } = stepsIn(() => cwd);
const tellsBirths = () => statfsSync(base).type !== 0x794c7630 && lstatSync(base).birthtimeMs > 0;
const move = (from: string, to: string) => renameSync(join(cwd, from), join(cwd, to));
const why = 'it is older than the step, and no checkpoint has its previous location';
const asked = async () =>
  (await plan()).paths.filter(({ state }) => state === 'conflict').map((path) => [path.path, path.why, path.choices]);

describe('an undo leaves what is older than its step, and asks about it', () => {
  test('a file that was ignored under its old name', async () => {
    put('.gitignore', '*.env\n');
    put('my.env', 'only here');
    await step(() => move('my.env', 'settings.txt'));
    expect(await asked()).toEqual([['settings.txt', why, ['mine', 'theirs']]]);
    expect((await run('undo')).refused).toEqual([{ path: 'settings.txt', why }]);
    expect(get('settings.txt')).toBe('only here');
    expect((await run('undo', null, { 'settings.txt': 'theirs' })).removed).toEqual(['settings.txt']);
    await run('redo');
    expect(get('settings.txt')).toBe('only here');
  });

  test('a folder that was ignored, whatever else the step made', async () => {
    put('.gitignore', 'data/\n');
    put('data/d1', '1');
    put('data/in/d2', '2');
    await step(() => {
      move('data', 'stuff');
      put('made/a', 'new');
      put('stuff/in/b', 'new');
    });
    const { restored, refused } = await run('undo');
    expect([restored, refused]).toEqual([
      ['made/a', 'stuff/in/b'],
      ['stuff/d1', 'stuff/in/d2'].map((path) => ({ path, why })),
    ]);
  });

  test('a file from outside of the work tree', async () => {
    const outside = join(mkdtempSync(join(base, 'outside-')), 'file');
    writeFileSync(outside, 'only here');
    await step(() => renameSync(outside, join(cwd, 'in.txt')));
    await run('undo');
    expect(get('in.txt')).toBe('only here');
  });

  test('all of a repository in the tree that became plain', async () => {
    git('init', '-q', 'lib');
    put('lib/i', '1');
    put('lib/notes', 'mine');
    put('a', '1');
    await step(() => {
      rmSync(join(cwd, 'lib/.git'), { recursive: true });
      put('a', '2');
    });
    expect((await run('undo')).refused.map(({ path }) => path)).toEqual(['lib/i', 'lib/notes']);
    expect([get('lib/i'), get('lib/notes'), get('a')]).toEqual(['1', 'mine', '1']);
  });

  test('a file that took the place of another', async () => {
    put('.gitignore', '*.env\n');
    put('my.env', 'only here');
    put('settings', 'old');
    await step(() => move('my.env', 'settings'));
    expect((await run('undo')).refused).toEqual([{ path: 'settings', why }]);
    expect(get('settings')).toBe('only here');
  });

  // If no births are known, a file that was written to is taken to be new.
  test.skipIf(!tellsBirths())('a file that was written to as well, and no other file left its place', async () => {
    put('.gitignore', '*.env\n');
    put('my.env', 'only here');
    put('other', '1');
    await step(() => {
      move('my.env', 'settings');
      for (const name of ['settings', 'other']) appendFileSync(join(cwd, name), ', and more');
    });
    expect(await asked()).toEqual([['settings', why, ['mine', 'theirs']]]);
  });

  test('also where a later step replaced the file and was undone', async () => {
    put('.gitignore', '*.env\n');
    put('my.env', 'only here');
    const first = await step(() => move('my.env', 'settings'));
    await step(() => {
      put('fresh', 'changed');
      move('fresh', 'settings');
    });
    await run('undo');
    expect((await run('undo', first)).refused).toEqual([{ path: 'settings', why }]);
  });

  test('also where the step was cut short', async () => {
    put('.gitignore', '*.env\n');
    put('my.env', 'only here');
    await createCheckpoint({ ...STEP, cwd });
    move('my.env', 'settings');
    const made = await plan('undo', 'c1', ['settings']);
    expect((await applyRestore(made, {}, { limits: USUAL_RETENTION, sessionId: 's1' })).refused).toEqual([
      { path: 'settings', why },
    ]);
  });
});

describe('an undo asks nothing', () => {
  test('about what the step made, changed, wrote in place, or renamed', async () => {
    for (const name of ['changed', 'in place', 'old name', 'dir/a', 'swap', 'other']) put(name, name);
    await step(() => {
      put('made/new', '1');
      put('changed', '2');
      appendFileSync(join(cwd, 'in place'), '2');
      move('old name', 'new name');
      move('dir', 'folder');
      move('swap', 'third');
      move('other', 'swap');
      move('third', 'other');
    });
    expect(await asked()).toEqual([]);
    expect((await run('undo')).refused).toEqual([]);
    expect([get('old name'), get('dir/a'), get('swap'), get('in place'), has('made')]).toEqual([
      'old name',
      'dir/a',
      'swap',
      'in place',
      false,
    ]);
  });

  test('about what the step renamed and wrote to, in either order', async () => {
    for (const name of ['first', 'second', 'third', 'fourth']) put(name, name);
    await step(() => {
      move('first', 'renamed');
      appendFileSync(join(cwd, 'renamed'), ', then written');
      appendFileSync(join(cwd, 'second'), ', then renamed');
      move('second', 'in-here');
      move('third', 'away');
      move('fourth', 'third');
      appendFileSync(join(cwd, 'third'), ', in the place of another');
    });
    expect(await asked()).toEqual([]);
    await run('undo');
    expect(['first', 'second', 'third', 'fourth', 'renamed', 'in-here', 'away'].map((name) => has(name))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('about what a dry run made before the step put it in place, but about what it moved there', async () => {
    put('changed', '1');
    const view = mkdtempSync(join(base, 'view-'));
    const dryRunAt = Date.now() - 20;
    for (const name of ['made', 'changed', 'moved']) writeFileSync(join(view, name), 'by the dry run');
    utimesSync(join(view, 'moved'), 1e9, 1e9);
    const checkpoint = await createCheckpoint({ ...STEP, cwd, dryRunAt });
    for (const name of ['made', 'changed', 'moved']) renameSync(join(view, name), join(cwd, name));
    await finalizeCheckpoint(checkpoint);
    expect(await asked()).toEqual([['moved', why, ['mine', 'theirs']]]);
  });

  // In the file systems of containers such a file looks like one that was moved out of an image.
  test.skipIf(!tellsBirths())('about what came out of an archive with the moments of its writing', async () => {
    const from = mkdtempSync(join(base, 'archive-'));
    writeFileSync(join(from, 'a'), '1');
    await step(() =>
      Bun.spawnSync(['sh', '-c', `tar -C ${from} -cf - a | tar -xf - && touch -d 2001-01-01 a`], { cwd }),
    );
    expect(await asked()).toEqual([]);
  });
});

describe('in a folder without a repository', () => {
  test('a folder that is passed over and moved stays', async () => {
    rmSync(join(cwd, '.git'), { recursive: true });
    put('node_modules/x', '1');
    await step(() => move('node_modules', 'nm'));
    await run('undo');
    expect(get('nm/x')).toBe('1');
  });
});
