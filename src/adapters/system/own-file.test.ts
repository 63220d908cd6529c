import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdFolder, removeAbandoned } from './own-file.ts';

const LATER = Date.now() + 3_600_000;

test('a folder that is let go is abandoned; one that is held, young, or was never held stays', () => {
  const parent = mkdtempSync(join(tmpdir(), 'aish-held-'));
  const make = (name: string): string => {
    mkdirSync(join(parent, name));
    return join(parent, name);
  };
  const release = holdFolder(make('shell-held'));
  holdFolder(make('shell-left'))();
  holdFolder(make('other'))();
  make('shell-never');
  const isOurs = (name: string): boolean => name.startsWith('shell-');
  removeAbandoned(parent, isOurs, Date.now());
  const young = readdirSync(parent).length;
  removeAbandoned(parent, isOurs, LATER);
  expect([young, readdirSync(parent).sort()]).toEqual([4, ['other', 'shell-held', 'shell-never']]);
  release();
  removeAbandoned(parent, isOurs, LATER);
  expect(readdirSync(parent).sort()).toEqual(['other', 'shell-never']);
  rmSync(parent, { recursive: true });
});

test('a folder that is not there has nothing abandoned in it', () => {
  expect(() => removeAbandoned('/nowhere', () => true, LATER)).not.toThrow();
});

test('a process that was killed abandons its folder', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'aish-held-'));
  mkdirSync(join(parent, 'shell-x'));
  const held = join(import.meta.dir, 'own-file.ts');
  const code = `import { holdFolder } from ${JSON.stringify(held)}; holdFolder(${JSON.stringify(join(parent, 'shell-x'))}); console.log('held'); setInterval(() => {}, 1000);`;
  const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', stderr: 'ignore', stdin: 'ignore' });
  await child.stdout.getReader().read();
  removeAbandoned(parent, () => true, LATER);
  const before = readdirSync(parent);
  child.kill('SIGKILL');
  await child.exited;
  removeAbandoned(parent, () => true, LATER);
  expect([before, readdirSync(parent)]).toEqual([['shell-x'], []]);
  rmSync(parent, { recursive: true });
});
