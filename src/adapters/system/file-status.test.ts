import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isExecutable, isExecutableNow } from './file-status.ts';

test('a program can be run; a text, a folder and nothing cannot', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'executable-'));
  try {
    for (const name of ['program', 'text']) writeFileSync(join(folder, name), '');
    chmodSync(join(folder, 'program'), 0o755);
    mkdirSync(join(folder, 'folder'));
    const paths = ['program', 'text', 'folder', 'nothing'].map((name) => join(folder, name));
    const wanted = [true, false, false, false];
    expect([paths.map(isExecutableNow), await Promise.all(paths.map(isExecutable))]).toEqual([wanted, wanted]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
