import { afterAll } from 'bun:test';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for a file of tests, gone with all that is in it after the last of them. */
export function useFolder(name: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `aish-${name}-`)));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
