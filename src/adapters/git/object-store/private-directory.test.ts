import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { toErrorFact } from '../../../protocol/error.ts';
import { createCheckpoint } from '../snapshot/checkpoint.ts';
import { timeline } from '../snapshot/timeline.ts';

const base = useGitHome('planted', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const { git, put, get, commit } = workIn(() => cwd);
const { step } = stepsIn(() => cwd);
const create = () => createCheckpoint({ ...STEP, cwd });
const undo = () => undoStep({ cwd, id: null });

describe('what an archive brings along', () => {
  /** Takes a snapshot, so that our folder is there, and gives a copy of it back, as unpacking an archive would. */
  const plant = async (change: () => void) => {
    put('a.txt', '1\n');
    commit();
    await create();
    change();
    renameSync(join(cwd, '.git/aish'), join(cwd, '.git/kept'));
    cpSync(join(cwd, '.git/kept'), join(cwd, '.git/aish'), { recursive: true, preserveTimestamps: true });
    rmSync(join(cwd, '.git/kept'), { recursive: true });
  };

  test('a list of names to pass over does not count', async () => {
    await plant(() => put('.git/aish/private/info/exclude', '*\n'));
    await step(() => put('new.txt', 'x\n'));
    expect((await undo()).restored).toEqual(['new.txt']);
  });

  test('an index that calls a file unchanged does not count', async () => {
    await plant(() => {
      const [name = ''] = readdirSync(join(cwd, '.git/aish/index'));
      const env = { ...process.env, GIT_INDEX_FILE: join(cwd, '.git/aish/index', name) };
      execFileSync('git', ['update-index', '--assume-unchanged', 'a.txt'], { cwd, env });
    });
    await step(() => put('a.txt', '2\n'));
    expect([(await undo()).restored, get('a.txt')]).toEqual([['a.txt'], '1\n']);
  });

  test('a folder that is a link is refused and not written to', async () => {
    put('a.txt', '1\n');
    commit();
    const outside = mkdtempSync(join(base, 'outside-'));
    symlinkSync(outside, join(cwd, '.git/aish'));
    const error = await create().catch((thrown: unknown) => thrown);
    expect(toErrorFact(error)).toEqual({
      code: 'checkpoint.unavailable',
      message: `aish cannot use ${cwd}/.git/aish: it is a file or a link, not a directory`,
      hint: `remove ${cwd}/.git/aish and try again`,
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  test('a ref that is a name for a branch leaves the branch alone', async () => {
    put('a.txt', '1\n');
    commit();
    git('symbolic-ref', 'refs/aish/c1/after', 'refs/heads/not-there');
    await step(() => put('a.txt', '2\n'));
    expect(git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/main\n');
  });

  test('a ref that names no commit is passed over', async () => {
    put('a.txt', '1\n');
    commit();
    const note = `x\n\nroot: ${JSON.stringify(cwd)}\nat: 1\nsession: ""\ntool: ""\n`;
    git('tag', '-a', '-m', note, 'planted', 'HEAD:a.txt');
    git('update-ref', 'refs/aish/c7/before', 'refs/tags/planted');
    await step(() => put('a.txt', '2\n'));
    expect((await timeline(cwd)).map(({ id }) => id)).toEqual(['c8']);
  });

  test('the folder stays the same from snapshot to snapshot', async () => {
    put('a.txt', '1\n');
    commit();
    await create();
    const before = statSync(join(cwd, '.git/aish')).ino;
    await Promise.all([create(), create()]);
    expect([
      statSync(join(cwd, '.git/aish')).ino,
      readdirSync(join(cwd, '.git')).filter((name) => /^aish-/.test(name)),
    ]).toEqual([before, []]);
  });
});
