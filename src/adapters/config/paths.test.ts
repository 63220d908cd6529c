import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openRuntimeFolder, toPaths } from './paths.ts';

test('the folders are those of the XDG variables, else the usual ones of the home', () => {
  expect(toPaths({ HOME: '/h', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: 'relative' })).toEqual({
    config: '/h/.config/aish',
    state: '/s/aish',
    cache: '/h/.cache/aish',
  });
});

test('a relative home is named, and no folder of aish lies in the directory of a project', () => {
  expect(() => toPaths({ HOME: 'relative' })).toThrow('HOME is relative, but it must be an absolute path');
});

let base = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'paths-')));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** A home whose path leaves no room for the name of a socket. */
function farHome(): { readonly HOME: string; readonly TMPDIR: string } {
  const HOME = join(base, 'far'.repeat(40));
  const TMPDIR = join(base, 'tmp');
  for (const folder of [HOME, TMPDIR]) mkdirSync(folder);
  return { HOME, TMPDIR };
}

test('the folder is made for this user alone, and found again', () => {
  const path = openRuntimeFolder({ XDG_RUNTIME_DIR: base });
  expect([path, modeOf(path)]).toEqual([join(base, 'aish'), 0o700]);
  expect(openRuntimeFolder({ XDG_RUNTIME_DIR: base })).toBe(path);
});

test('XDG_RUNTIME_DIR may be a link to a folder of this user', () => {
  mkdirSync(join(base, 'real'));
  symlinkSync('real', join(base, 'link'));
  expect(openRuntimeFolder({ XDG_RUNTIME_DIR: join(base, 'link') })).toBe(join(base, 'real/aish'));
});

test.each([['not there'], ['not a path'], ['of another user']])(
  'without a runtime directory, or with one that is %s, it lies below the state folder',
  (what) => {
    const [gone, relative, theirs] = [join(base, 'gone'), 'relative', '/'];
    const XDG_RUNTIME_DIR = { 'not there': gone, 'not a path': relative, 'of another user': theirs }[what] ?? gone;
    // The superuser owns what is another user's elsewhere.
    if (theirs === XDG_RUNTIME_DIR && process.getuid?.() === 0) return;
    const path = openRuntimeFolder({ HOME: base, TMPDIR: base, XDG_RUNTIME_DIR });
    expect([path, modeOf(path)]).toEqual([join(base, '.local/state/aish/run'), 0o700]);
    expect(readdirSync(base)).toEqual(['.local']);
  },
);

test('where that path is too long for a socket, it has a name that nobody knows before, and the next aish finds it', () => {
  const env = farHome();
  const path = openRuntimeFolder(env);
  expect([dirname(path), modeOf(path)]).toEqual([env.TMPDIR, 0o700]);
  expect(path).toMatch(/\/aish-\w{6}$/);
  expect([openRuntimeFolder(env), readdirSync(env.TMPDIR).length]).toEqual([path, 1]);
});

test('a kept name that leads to nothing, or to what others may open, is given up for another', () => {
  const env = farHome();
  const first = openRuntimeFolder(env);
  rmSync(first, { recursive: true });
  const second = openRuntimeFolder(env);
  chmodSync(second, 0o755);
  const third = openRuntimeFolder(env);
  expect([lstatSync(second).isDirectory(), modeOf(third), new Set([first, second, third]).size]).toEqual([
    true,
    0o700,
    3,
  ]);
  expect(readlinkSync(join(env.HOME, '.local/state/aish/run'))).toBe(third);
});

test('a runtime folder that others can open, or that is a link, is refused', () => {
  mkdirSync(join(base, 'aish'));
  chmodSync(join(base, 'aish'), 0o755);
  expect(() => openRuntimeFolder({ XDG_RUNTIME_DIR: base })).toThrow('is open to other users');
  rmSync(join(base, 'aish'), { recursive: true });
  symlinkSync('/tmp', join(base, 'aish'));
  expect(() => openRuntimeFolder({ XDG_RUNTIME_DIR: base })).toThrow('is not a folder');
});

test('where nothing can be kept, a process has one folder of its own', () => {
  const TMPDIR = join(base, 'tmp');
  mkdirSync(TMPDIR);
  writeFileSync(join(base, 'file'), '');
  const env = { HOME: join(base, 'file'), TMPDIR };
  const path = openRuntimeFolder(env);
  expect([dirname(path), modeOf(path), openRuntimeFolder(env)]).toEqual([TMPDIR, 0o700, path]);
});
