import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { namingText } from '../../core/secrets/file-placeholders.ts';
import { NamedFiles } from './named-files.ts';

let home = '';
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'aish-named-')));
  for (const path of ['shop/.env', 'shop/packages/api/.env', 'shop/a b/.netrc', 'shop/src/token.ts', '.restic/pw']) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), 'x', { mode: 0o600 });
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function find(text: string, cwd = 'shop'): readonly string[] {
  const place = { cwd: join(home, cwd), project: join(home, 'shop'), home };
  return new NamedFiles().find(text, place).map((path) => path.slice(home.length + 1));
}

test('the words of a line name files with secrets, in quotes, behind a redirection, after a cd and in the home', () => {
  expect(find('cat .env | base64; cat <packages/api/.env')).toEqual(['shop/.env', 'shop/packages/api/.env']);
  expect(find(`cat 'a b/.netrc' "$HOME/.restic/pw"`)).toEqual(['shop/a b/.netrc', '.restic/pw']);
  expect(find('cd packages/api && sh -c "cat .env"')).toEqual(['shop/.env', 'shop/packages/api/.env']);
  expect(find('git show HEAD:.env')).toEqual(['shop/.env']);
  expect(find('cat .env', 'shop/packages/api')).toEqual(['shop/packages/api/.env']);
});

test('what is no file, or holds none, is not named', () => {
  expect(find('cat src/token.ts .env.missing packages; echo "rm -rf .git"')).toEqual([]);
});

test('a call names files by its line or its path', () => {
  const texts = [
    namingText({ name: 'aish.exec', arguments: { command: 'cat .env' } }),
    namingText({ name: 'aish.read_file', arguments: { path: 'a b/.netrc' } }),
    namingText({ name: 'aish.output', arguments: { handle: 1 } }),
  ];
  expect(texts.map((text) => find(text))).toEqual([['shop/.env'], ['shop/a b/.netrc'], []]);
});
