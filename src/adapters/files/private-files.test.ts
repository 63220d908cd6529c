import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findPrivate } from './private-files.ts';

let home = '';
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'aish-private-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function lay(path: string, mode = 0o600): string {
  const whole = join(home, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, 'x');
  chmodSync(whole, mode);
  return whole;
}

function find(path: string, project = 'shop'): string | null {
  return findPrivate(join(home, path), { home, project: join(home, project) });
}

test('a file of a dot folder that its owner alone may read is found, by its path, its folder, a glob and a link', () => {
  const path = lay('.new/deep/state.db');
  lay('.new/readme', 0o644);
  mkdirSync(join(home, 'shop'));
  symlinkSync(path, join(home, 'shop/link'));
  expect(['.new/deep/state.db', '.new', '.new/*/st*', '.n*/deep/*', 'shop/link'].map((one) => find(one))).toEqual(
    Array(5).fill(path),
  );
});

test('what others may read, code, plain settings and what lies elsewhere is none', () => {
  lay('.new/open', 0o644);
  for (const path of ['.new/init.lua', '.bashrc', '.ssh/config', '.ssh/known_hosts', 'shop/private', 'notes/one'])
    lay(path);
  const paths = ['.new', '.bashrc', '.ssh', 'shop/private', 'notes/one', '.nothing', '.new/*'];
  expect(paths.map((path) => find(path))).toEqual(paths.map(() => null));
});

test('a file of a folder that is closed to others is found, but for what all programs share', () => {
  const path = lay('.closed/deep/state', 0o644);
  chmodSync(join(home, '.closed'), 0o700);
  const shared = ['.config/app/settings', '.ssh/config', '.ssh/work.pub'].map((one) => lay(one, 0o644));
  for (const folder of ['.config', '.ssh']) chmodSync(join(home, folder), 0o700);
  expect([
    find('.closed/deep/state'),
    find('.closed'),
    ...shared.map((one) => find(one.slice(home.length + 1))),
  ]).toEqual([path, path, ...shared.map(() => null)]);
});

test('the files of a repository that lies in a dot folder are its own', () => {
  lay('.dotfiles/settings');
  expect(find('.dotfiles/settings', '.dotfiles')).not.toBeNull();
  mkdirSync(join(home, '.dotfiles/.git'));
  expect(find('.dotfiles/settings', '.dotfiles')).toBeNull();
});
