import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listChangedFiles } from './own-answer.ts';

let work = '';

const git = (...args: string[]) => {
  const env = { PATH: process.env.PATH ?? '', HOME: work, GIT_CONFIG_NOSYSTEM: '1' };
  const done = Bun.spawnSync(['git', '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], { cwd: work, env });
  if (done.exitCode !== 0) throw new Error(done.stderr.toString());
};

beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), 'aish-git-files-')));
  git('init', '-q');
  for (const name of ['changed', 'deleted', 'same']) writeFileSync(join(work, name), 'a');
  git('add', '-A');
  git('commit', '-qm', 'first');
  writeFileSync(join(work, 'changed'), 'b');
  utimesSync(join(work, 'changed'), 1e9, 1e9);
  rmSync(join(work, 'deleted'));
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

const list = async (untracked: boolean) =>
  (await listChangedFiles(work, { untracked, env: { HOME: work } })).map(
    ({ value, description }) => `${value} ${description}`,
  );

test('what has changed and what is new is told', async () => {
  writeFileSync(join(work, 'new'), '');
  expect((await list(true)).sort()).toEqual(['changed modified', 'deleted deleted', 'new untracked']);
});

test('no monitor, filter or hook of the repository is started for it', async () => {
  const canary = join(work, '.git/canary');
  writeFileSync(canary, `#!/bin/sh\ntouch '${work}/.git/ran'\ncat\n`);
  chmodSync(canary, 0o755);
  for (const name of ['core.fsmonitor', 'filter.one.clean', 'filter.two.process']) git('config', name, canary);
  git('config', 'filter.one.required', 'true');
  writeFileSync(join(work, '.git/info/attributes'), 'changed filter=one\nsame filter=two\n');
  for (const name of ['changed', 'same']) utimesSync(join(work, name), 2e9, 2e9);
  expect(await list(false)).toContain('changed modified');
  expect(existsSync(join(work, '.git/ran'))).toBe(false);
});
