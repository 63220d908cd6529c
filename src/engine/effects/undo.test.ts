import { expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome, useRepository } from '../../../test/support/git-place.ts';
import { applyRestore } from '../../adapters/git/restore/apply.ts';
import { planRestore } from '../../adapters/git/restore/plan.ts';
import { createCheckpoint, finalizeCheckpoint } from '../../adapters/git/snapshot/checkpoint.ts';
import { USUAL_RETENTION } from '../../core/session/settings.ts';
import { AishError } from '../../protocol/error.ts';
import { askAbout, planUndo } from './plan-undo.ts';

let cwd = '';
useRepository(useGitHome('undo', ADA), (path) => {
  cwd = path;
});

function put(name: string, content: string | Uint8Array): void {
  writeFileSync(join(cwd, name), content);
}

/** One step that does this. */
async function step(change: () => void): Promise<void> {
  const options = {
    cwd,
    label: 'before a step',
    toolName: 't',
    mode: 'ref',
    limits: USUAL_RETENTION,
    sessionId: 's',
    at: 1,
  } as const;
  const checkpoint = await createCheckpoint(options);
  change();
  await finalizeCheckpoint(checkpoint);
}

async function undo(...paths: readonly string[]): Promise<string> {
  const plan = await planUndo({ cwd, id: null, direction: 'undo', paths });
  const { checkpoint } = await applyRestore(plan, {}, { limits: USUAL_RETENTION, sessionId: 's' });
  return checkpoint;
}

async function problemOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof AishError) return thrown.message;
    throw thrown;
  }
  return '';
}

test('with paths alone the newest step is meant that has something of them to take back, then the one before it', async () => {
  await step(() => put('a', '1'));
  await step(() => put('a', '2'));
  await step(() => put('b', '3'));
  expect([await undo('a'), readFileSync(join(cwd, 'a'), 'utf8')]).toEqual(['c2', '1']);
  expect([await undo('a'), existsSync(join(cwd, 'a')), existsSync(join(cwd, 'b'))]).toEqual(['c1', false, true]);
  expect(await problemOf(undo('a'))).toBe('no step to undo changed a');
});

test('a path that one of the named does not cover is told, and so is a step that is named', async () => {
  await step(() => put('a', '1'));
  const plan = await planUndo({ cwd, id: null, direction: 'undo', paths: ['a', 'other'] });
  expect([plan.id, plan.paths.map(({ path }) => path), plan.unknown]).toEqual(['c1', ['a'], ['other']]);
});

test('a redo by path is of the newest step of which something is undone', async () => {
  await step(() => put('a', '1'));
  await step(() => put('b', '2'));
  await undo('a');
  const plan = await planUndo({ cwd, id: null, direction: 'redo', paths: ['a'] });
  expect([plan.id, plan.direction, plan.paths.map(({ path }) => path)]).toEqual(['c1', 'redo', ['a']]);
});

test('a question shows both versions, of what is no text in words', async () => {
  put('binary', new Uint8Array([0, 1, 2]));
  put('gone', 'one\n');
  put('kind', 'file\n');
  put('mode', '#!/bin/sh\n');
  put('text', 'one\ntwo\nthree\n');
  await step(() => {
    put('binary', new Uint8Array([0, 9]));
    put('gone', 'two\n');
    put('kind', 'changed\n');
    put('mode', 'exit\n');
    put('text', 'one\ntwo\nTHREE\n');
    put('free', 'x');
  });
  put('binary', new Uint8Array([0, 5, 5, 5]));
  rmSync(join(cwd, 'gone'));
  rmSync(join(cwd, 'kind'));
  symlinkSync('else\nwhere', join(cwd, 'kind'));
  put('mode', '#!/bin/sh\n');
  chmodSync(join(cwd, 'mode'), 0o755);
  put('text', 'ONE\ntwo\nTHREE\n');
  const { conflicts, ...head } = await askAbout(await planRestore({ cwd, id: 'c1', direction: 'undo' }));
  expect(head).toEqual({ checkpoint: 'c1', direction: 'undo', label: 'before a step', at: 1, free: 1, refused: [] });
  expect(conflicts.map(({ path, mine, theirs, diff, choices }) => ({ path, mine, theirs, diff, choices }))).toEqual([
    { path: 'binary', mine: '4 B', theirs: '3 B', diff: undefined, choices: ['mine', 'theirs'] },
    {
      path: 'gone',
      mine: 'no file',
      theirs: '1 line, 4 B',
      diff: '--- /dev/null\n+++ b/gone\n@@ -0,0 +1 @@\n+one\n',
      choices: ['mine', 'theirs'],
    },
    {
      path: 'kind',
      mine: 'a link to else<U+000A>where',
      theirs: '1 line, 5 B',
      diff: undefined,
      choices: ['mine', 'theirs'],
    },
    {
      path: 'mode',
      mine: '1 line, 10 B, executable',
      theirs: '1 line, 10 B',
      diff: undefined,
      choices: ['mine', 'theirs', 'merged'],
    },
    {
      path: 'text',
      mine: '3 lines, 14 B',
      theirs: '3 lines, 14 B',
      diff: expect.stringContaining('-ONE\n+one\n two\n-THREE\n+three\n'),
      choices: ['mine', 'theirs', 'merged'],
    },
  ]);
  expect(conflicts.at(-1)?.merged).toContain(' ONE\n two\n-THREE\n+three\n');
});

test('of very many conflicts the last are only named, and every one can be answered for', async () => {
  mkdirSync(join(cwd, 'many'));
  const names = Array.from({ length: 60 }, (_, at) => `many/${String(at).padStart(2, '0')}`);
  await step(() => {
    for (const name of names) put(name, 'model\n');
  });
  for (const name of names) put(name, 'mine\n');
  const { conflicts } = await askAbout(await planRestore({ cwd, id: 'c1', direction: 'undo' }));
  expect(conflicts.map(({ path }) => path)).toEqual(names);
  expect([conflicts[49]?.diff === undefined, conflicts[50]?.diff, conflicts[50]?.mine, conflicts[50]?.choices]).toEqual(
    [false, undefined, 'a file', ['mine', 'theirs']],
  );
});

test('a folder in the place of a file is called one; one with files of others is in the way, and nothing is asked', async () => {
  put('empty', '1\n');
  put('full', '1\n');
  await step(() => {
    put('empty', '2\n');
    put('full', '2\n');
  });
  for (const name of ['empty', 'full']) {
    rmSync(join(cwd, name));
    mkdirSync(join(cwd, name));
  }
  put('full/mine', '1');
  const { conflicts, refused } = await askAbout(await planRestore({ cwd, id: 'c1', direction: 'undo' }));
  expect(conflicts.map(({ path, mine, choices }) => ({ path, mine, choices }))).toEqual([
    { path: 'empty', mine: 'a folder', choices: ['mine', 'theirs'] },
  ]);
  expect(refused).toEqual([{ path: 'full', why: 'a folder with other files is in its place; move it away first' }]);
});

test('a folder of which all files may go with the answer is no obstacle', async () => {
  put('a', 'file\n');
  await step(() => {
    rmSync(join(cwd, 'a'));
    mkdirSync(join(cwd, 'a/b'), { recursive: true });
    put('a/b/one', '1');
    put('a/two', '2');
  });
  put('a/two', 'mine');
  const made = await planRestore({ cwd, id: 'c1', direction: 'undo' });
  expect(made.paths.map(({ path, state }) => [path, state])).toEqual([
    ['a', 'restore'],
    ['a/b/one', 'restore'],
    ['a/two', 'conflict'],
  ]);
  await applyRestore(made, { 'a/two': 'theirs' }, { limits: USUAL_RETENTION, sessionId: 's' });
  expect(readFileSync(join(cwd, 'a'), 'utf8')).toBe('file\n');
});
