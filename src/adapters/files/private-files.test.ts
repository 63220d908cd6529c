import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { namingText } from '../../core/secrets/file-placeholders.ts';
import { findPrivate, NamedFiles } from './private-files.ts';

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

describe('the files with secrets that a text names', () => {
  beforeEach(() => {
    for (const path of ['shop/.env', 'shop/packages/api/.env', 'shop/a b/.netrc', 'shop/src/token.ts', '.restic/pw'])
      lay(path);
  });

  function findNamed(text: string, cwd = 'shop'): readonly string[] {
    const place = { cwd: join(home, cwd), project: join(home, 'shop'), home };
    return new NamedFiles().find(text, place).map((path) => path.slice(home.length + 1));
  }

  test('the words of a line name files with secrets, in quotes, behind a redirection, after a cd and in the home', () => {
    expect(findNamed('cat .env | base64; cat <packages/api/.env')).toEqual(['shop/.env', 'shop/packages/api/.env']);
    expect(findNamed(`cat 'a b/.netrc' "$HOME/.restic/pw"`)).toEqual(['shop/a b/.netrc', '.restic/pw']);
    expect(findNamed('cd packages/api && sh -c "cat .env"')).toEqual(['shop/.env', 'shop/packages/api/.env']);
    expect(findNamed('git show HEAD:.env')).toEqual(['shop/.env']);
    expect(findNamed('cat .env', 'shop/packages/api')).toEqual(['shop/packages/api/.env']);
  });

  test('what is no file, or holds none, is not named', () => {
    expect(findNamed('cat src/token.ts .env.missing packages; echo "rm -rf .git"')).toEqual([]);
  });

  test('a call names files by its line or its path', () => {
    const texts = [
      namingText({ name: 'aish.exec', arguments: { command: 'cat .env' } }),
      namingText({ name: 'aish.read_file', arguments: { path: 'a b/.netrc' } }),
      namingText({ name: 'aish.output', arguments: { handle: 1 } }),
    ];
    expect(texts.map((text) => findNamed(text))).toEqual([['shop/.env'], ['shop/a b/.netrc'], []]);
  });
});
