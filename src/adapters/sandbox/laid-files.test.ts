import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from '../../../test/support/programs.ts';
import { planSandbox } from '../../core/sandbox/sandbox-plan.ts';
import { toErrorFact } from '../../protocol/error.ts';
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

test.skipIf(!hasProgram('bwrap') || !existsSync('/proc/self/fd'))(
  'no file stays open of a sandbox that could not be started',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'sandbox-open-'));
    const sandbox = openSandbox({ path: process.env.PATH ?? '', folder: () => root });
    try {
      expect(await sandbox.available()).toBeNull();
      const plan = planSandbox('read-only', { cwd: root, project: root, home: root, own: [] });
      // No system takes a word of a command that is so long.
      const request = {
        text: ':'.repeat(4_000_000),
        plan,
        env: {},
        signal: new AbortController().signal,
        onOutput: () => {},
      };
      const opened = (): number => readdirSync('/proc/self/fd').length;
      const attempt = (): Promise<unknown> => sandbox.run(request).catch(toErrorFact);
      expect(await attempt()).toMatchObject({ code: 'sandbox.failed' });
      const before = opened();
      for (let count = 0; count < 20; count += 1) await attempt();
      expect(opened()).toBeLessThan(before + 20);
    } finally {
      sandbox.close();
      rmSync(root, { recursive: true });
    }
  },
);
