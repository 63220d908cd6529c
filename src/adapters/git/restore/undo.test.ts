import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { runStep, STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { createCheckpoint } from '../snapshot/checkpoint.ts';

const base = useGitHome('undo', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const { put, get } = workIn(() => cwd);
const undo = (id: string | null = null, paths?: readonly string[]) =>
  undoStep(paths === undefined ? { cwd, id } : { cwd, id, paths });
const step = (change: () => unknown) => runStep(cwd, change);

describe('undo', () => {
  test('puts back changed, deleted and new files, and removes directories left empty', async () => {
    put('changed', '1');
    put('gone/deep/file', '1');
    await step(() => {
      put('changed', '2');
      rmSync(join(cwd, 'gone'), { recursive: true });
      put('new/deep/file', '1');
    });
    const report = await undo();
    expect([report.restored, report.refused]).toEqual([['changed', 'gone/deep/file', 'new/deep/file'], []]);
    expect([get('changed'), get('gone/deep/file'), existsSync(join(cwd, 'new'))]).toEqual(['1', '1', false]);
  });

  test('puts back modes, links, and files that became directories', async () => {
    put('run', '#!');
    chmodSync(join(cwd, 'run'), 0o755);
    symlinkSync('run', join(cwd, 'link'));
    put('thing', 'file');
    put('tree/leaf', 'leaf');
    await step(() => {
      chmodSync(join(cwd, 'run'), 0o644);
      rmSync(join(cwd, 'link'));
      put('link', 'a file now');
      rmSync(join(cwd, 'thing'));
      put('thing/inside', '1');
      rmSync(join(cwd, 'tree'), { recursive: true });
      symlinkSync('run', join(cwd, 'tree'));
    });
    expect((await undo()).refused).toEqual([]);
    expect([
      lstatSync(join(cwd, 'run')).mode & 0o777,
      readlinkSync(join(cwd, 'link')),
      get('thing'),
      get('tree/leaf'),
    ]).toEqual([0o755, 'run', 'file', 'leaf']);
  });

  test('leaves a file alone that changed since, and puts the others back', async () => {
    put('a', '1');
    put('b', '1');
    await step(() => {
      put('a', '2');
      put('b', '2');
    });
    put('a', 'mine');
    const { restored, refused } = await undo();
    expect({ restored, refused }).toEqual({ restored: ['b'], refused: [{ path: 'a', why: 'it changed since' }] });
    expect([get('a'), get('b')]).toEqual(['mine', '1']);
  });

  test('touches nothing the step did not change', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    put('later', 'mine');
    await undo();
    expect(get('later')).toBe('mine');
  });

  test('of named paths leaves the rest, and says which were not changed by the step', async () => {
    put('sub/a', '1');
    put('sub/b', '1');
    await step(() => {
      put('sub/a', '2');
      put('sub/b', '2');
    });
    const { restored, refused } = await undoStep({
      cwd: join(cwd, 'sub'),
      id: 'c1',
      paths: ['a', '../other'],
    });
    expect({ restored, refused }).toEqual({
      restored: ['sub/a'],
      refused: [{ path: 'other', why: 'this step did not change it' }],
    });
    expect([get('sub/a'), get('sub/b')]).toEqual(['1', '2']);
  });

  test('can itself be undone, and then steps back in order', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    await step(() => put('a', '3'));
    expect((await undo()).undo?.id).toBe('c3');
    expect(get('a')).toBe('2');
    await undo();
    expect(get('a')).toBe('1');
    await expect(undo()).rejects.toThrow('there is nothing to undo');
    await undo('c4');
    await undo('c3');
    expect(get('a')).toBe('3');
  });

  test('of a step that never ended refuses all but named paths, and tells the command', async () => {
    put('a', '1');
    await createCheckpoint({ ...STEP, cwd });
    put('a', '2');
    expect((await undo('c1')).refused).toEqual([
      {
        path: 'a',
        why: 'the step never ended, so aish cannot tell its changes from later ones',
      },
    ]);
    expect((await undo('c1', ['a'])).restored).toEqual(['a']);
    expect(get('a')).toBe('1');
  });

  test('never writes through a directory that became a link', async () => {
    const outside = mkdtempSync(join(base, 'outside-'));
    put('dir/a', '1');
    await step(() => put('dir/a', '2'));
    renameSync(join(cwd, 'dir'), join(outside, 'dir'));
    symlinkSync(join(outside, 'dir'), join(cwd, 'dir'));
    expect((await undo()).refused).toEqual([{ path: 'dir/a', why: 'a parent directory is now a symbolic link' }]);
    expect(readFileSync(join(outside, 'dir/a'), 'utf8')).toBe('2');
  });

  test('does not delete a file that was too large for the checkpoint', async () => {
    put('log', Buffer.alloc(10_000_001));
    await step(() => put('log', 'cut'));
    expect((await undo()).refused).toEqual([
      { path: 'log', why: 'it was too large or unreadable when aish made the checkpoint' },
    ]);
    expect(get('log')).toBe('cut');
  });

  test('handles names with line breaks, leading dashes and bytes that are no text', async () => {
    const odd = Buffer.concat([Buffer.from(`${cwd}/`), Buffer.from([0x62, 0xff, 0x63])]);
    put('-rf', '1');
    put('a\nb', '1');
    writeFileSync(odd, '1');
    await step(() => {
      put('-rf', '2');
      put('a\nb', '2');
      writeFileSync(odd, '2');
    });
    expect((await undo()).restored.length).toBe(3);
    expect([get('-rf'), get('a\nb'), readFileSync(odd, 'utf8')]).toEqual(['1', '1', '1']);
  });

  test('leaves no temporary file behind', async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    await undo();
    expect(readdirSync(cwd).sort()).toEqual(['.git', 'a']);
  });

  test('of an unknown checkpoint names those there are', async () => {
    await createCheckpoint({ ...STEP, cwd });
    await expect(undo('c9')).rejects.toMatchObject({
      code: 'checkpoint.unknown',
      hint: 'the newest are c1; :checkpoints lists all',
    });
  });
});
