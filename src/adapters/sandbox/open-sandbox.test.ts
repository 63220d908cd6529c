import { expect, test } from 'bun:test';
import { openSandbox } from './open-sandbox.ts';

const PARTS = { path: '/nowhere', folder: () => '/nowhere' };

test('each system has its kind of sandbox, and one that is not known has none', () => {
  const systems = ['linux', 'darwin', 'freebsd'] as const;
  expect(systems.map((system) => openSandbox(PARTS, system).kind)).toEqual(['bubblewrap', 'sandbox-exec', 'none']);
});

test('a system without a sandbox says so and runs nothing', async () => {
  const sandbox = openSandbox(PARTS, 'freebsd');
  expect(await sandbox.available()).toBe('aish has no sandbox for freebsd');
});

test('what is untested counts as not there', async () => {
  expect(await openSandbox(PARTS, 'darwin').available()).not.toBeNull();
});
