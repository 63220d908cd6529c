import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { until, written } from '../../../../test/support/until.ts';
import { DEFAULT_SNAPSHOT_LIMITS, USUAL_RETENTION } from '../../../core/session/settings.ts';
import { openRepository } from '../object-store/repository.ts';
import { createCheckpoint, finalizeCheckpoint } from '../snapshot/checkpoint.ts';
import { checkPathUndoable, checkPlaceUndoable } from '../snapshot/path-undoable.ts';
import { findSkippedUntracked, LARGEST_FILE } from '../snapshot/snapshot-limits.ts';
import { timeline } from '../snapshot/timeline.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'aish-stopped-')));
const saved = { ...process.env };
const realGit = Bun.which('git') ?? 'git';
let cwd = '';

beforeAll(() => {
  mkdirSync(join(base, 'home'));
  process.env.HOME = join(base, 'home');
  process.env.GIT_CONFIG_NOSYSTEM = '1';
});
afterAll(() => {
  process.env = saved;
  rmSync(base, { recursive: true, force: true });
});
beforeEach(() => {
  process.env.PATH = saved.PATH;
  cwd = mkdtempSync(join(base, 'work-'));
  git('init', '-q');
});

const git = (...args: string[]) => execFileSync(realGit, args, { cwd, encoding: 'utf8' }).trim();
const put = (name: string, content: string) => writeFileSync(join(cwd, name), content);
const create = (signal?: AbortSignal, mode: 'ref' | 'commit' = 'ref') =>
  createCheckpoint({
    cwd,
    label: 'before fs.write',
    toolName: 'write',
    mode,
    limits: USUAL_RETENTION,
    sessionId: 's1',
    at: 1_700_000_000_000,
    signal,
  });
const step = async (change: () => unknown) => {
  const checkpoint = await create();
  await change();
  return finalizeCheckpoint(checkpoint);
};
const refs = () => git('for-each-ref', '--format=%(refname)', 'refs/aish');
const ids = async () => (await timeline(cwd)).map(({ id }) => id);

/** Puts a git on the PATH that never gets further than the subcommand `word`, and tells where its process id will stand. */
function hangAt(word: string, { after = false } = {}): { started: Promise<number> } {
  const folder = mkdtempSync(join(base, 'bin-'));
  const hang = `echo $$ > '${folder}/pid'; exec sleep 600`;
  const operation = after ? `'${realGit}' "$@"; ${hang}` : hang;
  const script = `#!/bin/sh\nfor word do [ "$word" = ${word} ] && { ${operation}; }; done\nexec '${realGit}' "$@"\n`;
  writeFileSync(join(folder, 'git'), script);
  chmodSync(join(folder, 'git'), 0o755);
  process.env.PATH = `${folder}:${saved.PATH}`;
  return { started: written(join(folder, 'pid'), /\n$/).then(Number) };
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** A pattern that aish does not read itself, so that git looks at the tree. */
const leaveToGit = () => put('.gitignore', '\\x\n');

/** A process that was killed may take a moment to be gone on a busy machine. */
const isGone = (pid: number): Promise<boolean> => until({ what: `the end of ${pid}` }, () => !isAlive(pid));

describe('a checkpoint that is stopped while it is made', () => {
  test('ends its git process and leaves no ref', async () => {
    put('a', '1');
    const { started } = hangAt('update-index');
    const controller = new AbortController();
    const made = create(controller.signal);
    const pid = await started;
    controller.abort();
    await expect(made).rejects.toMatchObject({ code: 'git.stopped' });
    expect([await isGone(pid), refs()]).toEqual([true, '']);
  });

  test('takes the ref away again that was just written', async () => {
    put('a', '1');
    // In a shared repository, git writes the refs.
    chmodSync(join(cwd, '.git/refs'), 0o2775);
    const { started } = hangAt('update-ref', { after: true });
    const controller = new AbortController();
    const made = create(controller.signal);
    await started;
    process.env.PATH = saved.PATH;
    controller.abort();
    await expect(made).rejects.toMatchObject({ code: 'git.stopped' });
    expect(refs()).toBe('');
  });

  test('makes no commit on the branch', async () => {
    put('a', '1');
    const { started } = hangAt('update-index');
    const controller = new AbortController();
    const made = create(controller.signal, 'commit');
    await started;
    controller.abort();
    await expect(made).rejects.toMatchObject({ code: 'git.stopped' });
    process.env.PATH = saved.PATH;
    expect([git('rev-list', '--all'), git('ls-files', '--cached')]).toEqual(['', '']);
  });

  test('is followed by one that works', async () => {
    put('a', '1');
    leaveToGit();
    await step(() => put('a', '2'));
    const { started } = hangAt('diff-files');
    const controller = new AbortController();
    const made = create(controller.signal);
    await started;
    controller.abort();
    await expect(made).rejects.toMatchObject({ code: 'git.stopped' });
    process.env.PATH = saved.PATH;
    await step(() => put('a', '3'));
    expect((await undoStep({ cwd, id: null })).restored).toEqual(['a']);
    expect(readFileSync(join(cwd, 'a'), 'utf8')).toBe('2');
  });
});

test('a seal that is stopped ends its git process and leaves the checkpoint open', async () => {
  leaveToGit();
  const checkpoint = await create();
  put('a', '1');
  const { started } = hangAt('update-index');
  const controller = new AbortController();
  const finalized = finalizeCheckpoint(checkpoint, { signal: controller.signal });
  const pid = await started;
  controller.abort();
  await expect(finalized).rejects.toMatchObject({ code: 'git.stopped' });
  process.env.PATH = saved.PATH;
  expect(await isGone(pid)).toBe(true);
  expect((await timeline(cwd)).map(({ id, counts }) => [id, counts])).toEqual([['c1', null]]);
});

test('undo passes over a step that never ended and changed nothing', async () => {
  put('a', '1');
  await step(() => put('a', '2'));
  await create();
  expect((await undoStep({ cwd, id: null })).checkpoint).toBe('c1');
  expect(readFileSync(join(cwd, 'a'), 'utf8')).toBe('1');
});

test('a checkpoint whose step changed nothing is dropped when it is sealed', async () => {
  put('a', '1');
  expect(await step(() => put('a', '2'))).toEqual({ dropped: false });
  expect(await step(() => {})).toEqual({ dropped: true });
  expect(await ids()).toEqual(['c1']);
});

test('paths to undo may be named from a directory entered through a symbolic link', async () => {
  mkdirSync(join(cwd, 'sub'));
  put('sub/a', '1');
  put('b', '1');
  await step(() => {
    put('sub/a', '2');
    put('b', '2');
  });
  const link = join(base, `link-${crypto.randomUUID()}`);
  symlinkSync(cwd, link);
  const one = await undoStep({ cwd: link, id: 'c1', paths: ['b'] });
  const other = await undoStep({ cwd: join(link, 'sub'), id: 'c1', paths: ['a', join(link, 'b')] });
  expect([one.restored, other.restored]).toEqual([['b'], ['sub/a']]);
});

describe('too many new files for a checkpoint', () => {
  /** Sparse files just below the limit of one: they cost no room and must not be read. */
  const skippedUntracked = (count: number) => {
    mkdirSync(join(cwd, 'big'), { recursive: true });
    for (let at = 0; at < count; at += 1) {
      put(`big/${at}`, '');
      execFileSync('truncate', ['-s', String(LARGEST_FILE), join(cwd, 'big', String(at))]);
    }
  };

  test('stay out together, and what is tracked stays in', async () => {
    put('a', '1');
    git('add', 'a');
    skippedUntracked(21);
    const { commit } = await create();
    expect(git('ls-tree', '-r', '--name-only', commit)).toBe('a');
    expect(git('log', '-1', '--format=%B', commit)).toContain('\nskipped-untracked: 21');
  });

  test('are those over the limits that are told, and the end of the step and its undo go by the same', async () => {
    const options = { ...STEP, cwd };
    const createWith = (files: number) => createCheckpoint({ ...options, most: { files, bytes: 1e9 } });
    for (const name of ['a', 'b']) put(name, '1');
    const look = { most: { files: 1, bytes: 1e9 } };
    expect(await checkPathUndoable(cwd, join(cwd, 'c'), look)).toMatchObject({ undoable: false });
    const few = await createWith(1);
    expect(git('ls-tree', '-r', '--name-only', few.commit)).toBe('');
    put('c', '1');
    await finalizeCheckpoint(few);
    expect((await timeline(cwd)).map(({ counts }) => counts)).toEqual([{ added: 0, changed: 0, removed: 0 }]);
    const { commit } = await createWith(3);
    expect(git('ls-tree', '-r', '--name-only', commit)).toBe('a\nb\nc');
  });

  test('are counted', async () => {
    const names = Array.from({ length: DEFAULT_SNAPSHOT_LIMITS.files + 1 }, (_, at) => `many/${at}`);
    const repository = await openRepository(cwd);
    const sizes = [
      await findSkippedUntracked(repository, names),
      await findSkippedUntracked(repository, names.slice(1)),
    ].map(({ size }) => size);
    expect(sizes).toEqual([DEFAULT_SNAPSHOT_LIMITS.files + 1, 0]);
  });

  test('make new files and untracked ones impossible to undo, and tracked ones not', async () => {
    put('a', '1');
    git('add', 'a');
    skippedUntracked(21);
    const why =
      'no checkpoint holds the 21 untracked files here, because a checkpoint takes at most 20,000 files or 200 MB; add them to .gitignore or to git';
    const no = { undoable: false as const, why, outside: why };
    expect(await checkPathUndoable(cwd, join(cwd, 'a'))).toEqual({ undoable: true });
    expect(await checkPathUndoable(cwd, join(cwd, 'new'))).toEqual(no);
    expect(await checkPathUndoable(cwd, join(cwd, 'big/1'))).toEqual(no);
    expect(await checkPlaceUndoable(cwd, [])).toEqual({ undoable: false, why });
  });

  test('are not deleted by the undo of a step that made room among them', async () => {
    skippedUntracked(21);
    await step(() => rmSync(join(cwd, 'big', '0')));
    const { restored, refused } = await undoStep({ cwd, id: null });
    expect([restored, refused.length, existsSync(join(cwd, 'big', '1'))]).toEqual([[], 20, true]);
  }, 60_000);
});

test('an undo that is halted ends with the file it is at, names the others, and can be undone and gone on with', async () => {
  for (const name of ['a', 'b', 'c']) put(name, 'before');
  git('add', '.');
  await step(() => {
    for (const name of ['a', 'b', 'c']) put(name, 'after');
  });
  const [id = ''] = await ids();
  let looked = 0;
  const halted = await undoStep({ cwd, id, shouldEnd: () => ++looked > 2 });
  expect([halted.restored, halted.refused]).toEqual([
    ['a', 'b'],
    [{ path: 'c', why: 'halted before this file was restored' }],
  ]);
  const content = () => ['a', 'b', 'c'].map((name) => readFileSync(join(cwd, name), 'utf8'));
  expect(content()).toEqual(['before', 'before', 'after']);
  expect((await undoStep({ cwd, id })).restored).toEqual(['c']);
  expect(content()).toEqual(['before', 'before', 'before']);
});
