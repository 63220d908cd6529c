import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../test/support/test-folder.ts';
import { canHoldTmpInMemory, TMP_IN_MEMORY } from './tmp-in-memory.ts';

const folder = useFolder('tmp');

test('a run that reads something in the /tmp of the disk keeps that', () => {
  expect(canHoldTmpInMemory(['/tmp/checkout'])).toBe(false);
});

test.skipIf(!canHoldTmpInMemory([]))('a command sees a /tmp of its own, which is gone when the command ends', () => {
  const line = 'ls -A /tmp; touch /tmp/aish-test-of-tmp; stat -f -c %T /tmp; exit 3';
  const child = Bun.spawnSync([...TMP_IN_MEMORY, 'sh', '-c', line]);
  expect([child.stdout.toString(), child.exitCode]).toEqual(['tmpfs\n', 3]);
  expect([existsSync(folder), existsSync(join('/tmp', 'aish-test-of-tmp'))]).toEqual([true, false]);
});
