import { expect, test } from 'bun:test';
import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { toRawPath } from '../process/raw-path.ts';
import { createCheckpoint, finalizeCheckpoint } from './checkpoint.ts';

/* A step of file tools alone: its files are known, and nobody looks at the rest of the tree. */

const base = useGitHome('written', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put, get, has, commit } = workIn(() => cwd);

function write(path: string, content: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), content);
}

/** A step that wrote files, and what others do meanwhile. */
async function stepWriting(files: Readonly<Record<string, string>>, meanwhile: () => void = () => {}) {
  const checkpoint = await createCheckpoint({ ...STEP, cwd });
  for (const [path, content] of Object.entries(files)) write(path, content);
  meanwhile();
  const wrote = new Set(Object.keys(files).map((path) => toRawPath(join(cwd, path))));
  return { ...checkpoint, ...(await finalizeCheckpoint(checkpoint, { wrote })) };
}

/** The snapshot that a ref names, with its modes. */
const snapshotOf = (ref: string) => [
  git('rev-parse', `refs/aish/${ref}^{tree}`),
  git('for-each-ref', '--format=%(objectname)', `refs/aish/${ref}-modes`),
];

test('a step that wrote files holds these, and nothing that changed beside them', async () => {
  for (const path of ['own', 'dir/own', 'user', 'gone']) put(path, '1\n');
  commit();
  // The index that git made for the first snapshot becomes ours with the second.
  await stepWriting({});
  await stepWriting({ own: '2\n', 'dir/own': '2\n', 'new/sub/own': '2\n' }, () => {
    put('user', 'mine\n');
    put('user-new', 'mine\n');
    rmSync(join(cwd, 'gone'));
  });
  const { refused, restored, removed } = await undoStep({ cwd, id: null });
  expect([refused, restored, removed]).toEqual([[], ['dir/own', 'new/sub/own', 'own'], ['new/sub/own']]);
  expect(['own', 'dir/own', 'user', 'user-new'].map(get)).toEqual(['1\n', '1\n', 'mine\n', 'mine\n']);
  expect(['new', 'gone'].map(has)).toEqual([false, false]);
});

test('the snapshot is that of a look at all of the tree, whatever was written', async () => {
  const outside = join(base, 'outside');
  writeFileSync(outside, '');
  for (const path of ['a', 'dir/a', '.env', 'twin', 'tracked.log', 'shut/a']) put(path, '1\n');
  put('.gitignore', '*.log\n');
  put('new.log', '1\n');
  git('add', '-f', '.');
  git('rm', '-q', '--cached', 'new.log');
  git('commit', '-qm', 'all');
  symlinkSync(outside, join(cwd, 'link'));
  const cases: readonly (readonly [files: Record<string, string>, change?: () => void])[] = [
    [{ a: '2\n' }],
    [{ a: '2\n' }],
    [{ 'dir/a': '3\n', 'deep/er/new': '3\n', naïve: '3\n' }],
    [{ 'tracked.log': '4\n' }],
    [{ 'new.log': '5\n' }],
    [{ '.env': '6\n', a: '6\n' }],
    [{ '.gitignore': '' }, () => rmSync(join(cwd, 'new.log'))],
    [{ twin: '8\n' }, () => linkSync(join(cwd, 'twin'), join(cwd, 'other'))],
    [{ link: '9\n' }],
    [{ a: '10\n' }, () => rmSync(join(cwd, 'a'))],
    [{ a: '11\n' }, () => chmodSync(join(cwd, 'a'), 0o700)],
    [{ 'shut/b': '12\n' }, () => chmodSync(join(cwd, 'shut'), 0o710)],
    [{ 'room/b': '13\n' }, () => chmodSync(join(cwd, 'room'), 0o710)],
    [{ 'sub/.git/x': '14\n', 'sub/y': '14\n' }],
  ];
  for (const [files, change] of cases) {
    const { id, dropped } = await stepWriting(files, change);
    const next = await createCheckpoint({ ...STEP, cwd });
    expect([files, snapshotOf(`${next.id}/before`)]).toEqual([
      files,
      snapshotOf(`${id}/${dropped ? 'before' : 'after'}`),
    ]);
    await finalizeCheckpoint(next);
  }
});

test('a look at all of the tree tells what was written where a path has other names', async () => {
  put('known', '1\n');
  commit();
  await stepWriting({});
  // As in a place that ignores case.
  mkdirSync(join(cwd, 'room'));
  symlinkSync('room', join(cwd, 'ROOM'));
  await createCheckpoint({ ...STEP, cwd }).then((checkpoint) => finalizeCheckpoint(checkpoint));
  const { id } = await stepWriting({ 'room/1': '2\n' }, () => put('seen', '2\n'));
  expect(git('ls-tree', '-r', '--name-only', `refs/aish/${id}/after`)).toContain('seen');
  const checkpoint = await createCheckpoint({ ...STEP, cwd });
  write('known', '3\n');
  await finalizeCheckpoint(checkpoint, { wrote: new Set([toRawPath(join(base, 'mounted/known'))]) });
  expect(git('show', `refs/aish/${checkpoint.id}/after:known`)).toBe('3\n');
});
