import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { survey } from './private-store.ts';

const root = mkdtempSync(join(tmpdir(), 'aish-survey-'));
afterAll(() => {
  chmodSync(join(root, 'closed'), 0o700);
  rmSync(root, { recursive: true, force: true });
});
for (const folder of ['a', 'inner/.git', 'node_modules/x', 'closed'])
  mkdirSync(join(root, folder), { recursive: true });
for (const file of ['a/1', 'a/2', 'inner/3', 'node_modules/x/4']) writeFileSync(join(root, file), '');
symlinkSync('/', join(root, 'link'));
chmodSync(join(root, 'closed'), 0);

// Seven entries: five at the top, and two in `a`.
test('only what is the tree itself is counted, and no link is followed', () => {
  expect([survey(root, 7).isTooLarge, survey(root, 6).isTooLarge]).toEqual([false, true]);
});

test.skipIf(process.getuid?.() === 0)('a folder that may not be read is named', () => {
  expect(survey(root, 100)).toEqual({ isTooLarge: false, mounts: [], closed: ['closed'] });
});
