import { expect, test } from 'bun:test';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { survivors } from '../../../test/support/processes.ts';
import { useFolder } from '../../../test/support/test-folder.ts';
import { listCommandFiles, runHook } from './extension-files.ts';

test('a folder of the user that leads into the project holds files of the project', () => {
  const home = realpathSync(useFolder('extension-files'));
  const project = join(home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  mkdirSync(join(project, '.claude/commands'), { recursive: true });
  writeFileSync(join(project, '.claude/commands/go.md'), 'Go.\n');
  symlinkSync('project', join(home, 'link'));
  const context = { cwd: project, home, config: join(home, '.config/aish') };
  const originOf = (folder: string) => listCommandFiles({ ...context, folders: [folder] }).map(({ origin }) => origin);
  expect([originOf('~/link/.claude'), originOf('~/none/../project/.claude')]).toEqual([['project'], ['project']]);
});

function run(line: string, { signal = new AbortController().signal, timeoutMs = 60_000, input = '' } = {}) {
  return runHook({ line, cwd: '/', env: { PATH: process.env.PATH ?? '' }, input, timeoutMs, signal });
}

test('a hook reads its input and prints its answer; its status and errors are known', async () => {
  expect(await run('cat; echo no >&2; exit 3', { input: '{"a":1}' })).toEqual({
    output: '{"a":1}',
    errors: 'no\n',
    exit: 3,
    cut: null,
  });
});

test('a hook that reads nothing of a large input ends as it likes', async () => {
  expect((await run('exit 0', { input: 'x'.repeat(3_000_000) })).exit).toBe(0);
});

test('at its limits a hook ends with all that it started', async () => {
  const late = await run('sleep 1000 & echo $!; wait', { timeoutMs: 300 });
  expect([late.cut, await survivors([Number(late.output)])]).toEqual(['time', []]);
  expect((await run('yes')).cut).toBe('size');
});

test('what a hook leaves behind ends with it', async () => {
  const { output, cut } = await run('sleep 1000 & echo $!');
  expect([cut, await survivors([Number(output)])]).toEqual([null, []]);
});

test('the signal ends a hook', async () => {
  const controller = new AbortController();
  controller.abort();
  const { exit, cut } = await run('sleep 1000', { signal: controller.signal });
  expect([exit === 0, cut]).toEqual([false, null]);
});
