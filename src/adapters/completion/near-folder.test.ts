import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLineWithNearFolder } from './near-folder.ts';

test('a line with a folder that is not there is given the folder with the nearest name', async () => {
  const root = mkdtempSync(join(tmpdir(), 'aish-near-'));
  try {
    for (const folder of ['projects/my notes', 'src', '.config']) mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, 'prospects'), '');
    symlinkSync('projects', join(root, 'latest'));
    const meant = (line: string): Promise<string | null> => findLineWithNearFolder(line, root);
    expect(await meant('cd projcts')).toBe('cd projects');
    expect(await meant(`cd ${root}/projcts/mynotes && ls`)).toBe(`cd ${root}/projects/my\\ notes && ls`);
    expect(await meant('cd scr')).toBe('cd src');
    expect(await meant('pushd latset/')).toBe('pushd latest/');
    expect(await meant('cd .confg')).toBe('cd .config');
    // It is there, or nothing is near, or the operand is no folder, or there are several.
    for (const line of ['cd projects', 'cd elsewhere', 'cat projcts', 'cd projcts src', 'cd', 'cd $projcts']) {
      expect(await meant(line)).toBeNull();
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});
