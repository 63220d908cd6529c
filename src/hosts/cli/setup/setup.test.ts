import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from '../../../core/command-line/invocation.ts';
import { prepareForUser } from './setup.ts';

const before = process.cwd();
const root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-setup-')));
afterEach(() => {
  process.chdir(before);
  rmSync(root, { recursive: true, force: true });
});

test('a shell begins in the folder that a relative --cwd names', async () => {
  mkdirSync(join(root, 'folder'));
  process.chdir(root);
  const invocation = parseArgs(['--cwd', 'folder'], 'aish');
  if (invocation.type !== 'shell') throw new Error(`it is read as ${invocation.type}`);
  const { setup } = await prepareForUser(invocation.options);
  expect([setup.cwd, process.cwd()]).toEqual([join(root, 'folder'), join(root, 'folder')]);
});
