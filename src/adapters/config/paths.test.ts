import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRuntimeFolder, toPaths } from './paths.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'paths-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test('the folders are those of the XDG variables, else the usual ones of the home', () => {
  expect(toPaths({ HOME: '/h', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: 'relative' })).toEqual({
    config: '/h/.config/aish',
    state: '/s/aish',
    cache: '/h/.cache/aish',
  });
});

test('the runtime folder is made for us alone', () => {
  const path = openRuntimeFolder({ XDG_RUNTIME_DIR: base });
  expect([path, statSync(path).mode & 0o777]).toEqual([join(base, 'aish'), 0o700]);
  expect(openRuntimeFolder({ XDG_RUNTIME_DIR: base })).toBe(path);
});

test('without a runtime directory it is a private folder in the temporary one', () => {
  const path = openRuntimeFolder({ TMPDIR: base, XDG_RUNTIME_DIR: join(base, 'gone') });
  expect(path).toBe(join(base, `aish-${process.getuid?.()}`));
});

test('a runtime folder that others can open, or that is a link, is refused', () => {
  mkdirSync(join(base, 'aish'));
  chmodSync(join(base, 'aish'), 0o755);
  expect(() => openRuntimeFolder({ XDG_RUNTIME_DIR: base })).toThrow('can be opened by others');
  rmSync(join(base, 'aish'), { recursive: true });
  symlinkSync('/tmp', join(base, 'aish'));
  expect(() => openRuntimeFolder({ XDG_RUNTIME_DIR: base })).toThrow('is not a folder');
});
