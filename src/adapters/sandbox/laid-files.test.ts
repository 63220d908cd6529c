import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '../../../test/support/programs.ts';
import { openSandbox } from './open-sandbox.ts';

test.skipIf(!hasProgram('bwrap'))(
  'nothing is left of a sandbox that was closed, nor of processes that are gone',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'sandbox-laid-'));
    const folder = join(root, 'sandbox');
    mkdirSync(folder);
    // No process has such a number.
    for (const name of ['calls-99999999', 'cover-99999999-0a1b2c3d', `calls-${process.pid}`, 'other'])
      writeFileSync(join(folder, name), '');
    const sandbox = openSandbox({ path: process.env.PATH ?? '', folder: () => root });
    try {
      await sandbox.available();
      sandbox.close();
      expect(readdirSync(folder).sort()).toEqual([`calls-${process.pid}`, 'other']);
    } finally {
      sandbox.close();
      rmSync(root, { recursive: true });
    }
  },
);
