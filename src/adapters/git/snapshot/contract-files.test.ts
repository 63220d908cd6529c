import { expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPinned } from './contract-files.ts';

test('a pinned link counts as the content of its target, and what is no file is not read', () => {
  const project = mkdtempSync(join(tmpdir(), 'aish-pinned-'));
  try {
    writeFileSync(join(project, 'file'), 'x\n');
    execFileSync('mkfifo', [join(project, 'pipe')]);
    const links = {
      link: 'file',
      'to-pipe': 'pipe',
      'to-device': '/dev/zero',
      'to-kernel': '/proc/kmsg',
      'to-nothing': 'gone',
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(project, name));
    const pinned = readPinned(project, ['file', ...Object.keys(links), 'pipe', '.']);
    const [file] = pinned;
    expect(file?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(pinned.map(({ sha256 }) => sha256 === file?.sha256)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(pinned.slice(2).map(({ sha256 }) => sha256)).toEqual([null, null, null, null, null, null]);
  } finally {
    rmSync(project, { recursive: true });
  }
});
