import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../protocol/json.ts';
import { checkCallUndoable } from './file-tools.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'aish-call-')));
const cwd = join(base, 'work');
const other = join(base, 'other');
const { signal } = new AbortController();
const check = (values: JsonObject, from = cwd) => checkCallUndoable(values, { cwd, base: from, signal });

beforeAll(() => {
  mkdirSync(join(cwd, 'sub'), { recursive: true });
  mkdirSync(other);
  symlinkSync(other, join(cwd, 'link'));
  writeFileSync(join(cwd, '.gitignore'), 'ignored\n');
  execFileSync('git', ['init', '-q', cwd]);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

test('a call whose paths all lie in the work tree can be undone', async () => {
  const values = { path: 'new.txt', paths: [join(cwd, 'sub/x'), '.', cwd], content: 'text\n/etc/passwd' };
  expect(await check(values)).toEqual({ undoable: true });
});

describe('a call cannot be undone', () => {
  const outside = (path: string) => ({ undoable: false, why: `${path} is outside the work tree ${cwd}` });

  test('with an absolute path elsewhere, under any name', async () => {
    expect(await check({ note: join(other, 'a') })).toEqual(outside(join(other, 'a')));
  });

  test('with a path that leads out, or through a link', async () => {
    expect(await check({ list: ['../other/a'] })).toEqual(outside(join(other, 'a')));
    expect(await check({ file: 'link/a' })).toEqual(outside(join(other, 'a')));
  });

  test('with a relative path of a server that was started elsewhere', async () => {
    expect(await check({ path: 'a' }, other)).toEqual(outside(join(other, 'a')));
  });

  test('with a path that git ignores', async () => {
    const why = `git ignores ${join(cwd, 'ignored')}, so no checkpoint holds it`;
    expect(await check({ source: 'new.txt', destination: 'ignored' })).toEqual({ undoable: false, why });
  });
});
