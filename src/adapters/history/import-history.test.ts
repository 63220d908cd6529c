import { afterEach, beforeEach, expect, test } from 'bun:test';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { USUAL_RULES } from '../../core/prompt/history-index.ts';
import { chooseHistories, listForeignHistories, readForeignHistories } from './import-history.ts';

const FIXTURES = join(import.meta.dir, '../../../test/fixtures/history');

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'aish-import-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function put(name: string, path: string): void {
  mkdirSync(join(home, path, '..'), { recursive: true });
  copyFileSync(join(FIXTURES, name), join(home, path));
}

function read(most = 100, rules = USUAL_RULES): readonly string[] {
  return readForeignHistories(listForeignHistories({ HOME: home }), { rules, most }).map(({ line }) => line);
}

test('the histories of all shells become one by time, without secrets', () => {
  put('bash_history', '.bash_history');
  put('zsh_history', '.zsh_history');
  put('fish_history', '.local/share/fish/fish_history');
  expect(read()).toEqual([
    'git log --oneline',
    'for x in a b; do\n  echo $x\ndone',
    'make test',
    'echo größer 日本 ß',
    'for f in *; do\n  echo $f\ndone',
    'echo ends with \\',
    'echo plain',
    'echo one',
    'echo "two\nlines"',
    "echo 'back\\\\slash' README",
    'exit',
  ]);
});

test('lines without a time stand where their file was last changed, and say that theirs is not known', () => {
  put('zsh_history', '.zsh_history');
  put('bash_history_without_times', '.bash_history');
  utimesSync(join(home, '.bash_history'), 1_700_000_145, 1_700_000_145);
  const found = readForeignHistories(listForeignHistories({ HOME: home }), { rules: USUAL_RULES, most: 100 });
  expect(found.slice(-4).map(({ line, at }) => [line, at])).toEqual([
    ['ls -l', 0],
    ['cd /tmp', 0],
    ['for x in a b; do echo $x; done', 0],
    ['echo plain', 1_700_000_150_000],
  ]);
});

test('the newest are taken, without what the rules leave out', () => {
  put('bash_history', '.bash_history');
  expect([read(2), read(100, { ...USUAL_RULES, ignore: ['git *'] })]).toEqual([
    ['for x in a b; do\n  echo $x\ndone', 'make test'],
    ['for x in a b; do\n  echo $x\ndone', 'make test'],
  ]);
});

test('files are where the environment says', () => {
  const paths = (env: Record<string, string>) => listForeignHistories({ HOME: '/h', ...env }).map(({ path }) => path);
  expect([paths({}), paths({ HISTFILE: '/x/my_bash', ZDOTDIR: '/z', XDG_DATA_HOME: '/d' })]).toEqual([
    ['/h/.bash_history', '/h/.zsh_history', '/h/.histfile', '/h/.local/share/fish/fish_history'],
    ['/x/my_bash', '/z/.zsh_history', '/z/.histfile', '/d/fish/fish_history'],
  ]);
});

test('a file is chosen by its path, whatever shell wrote it, and one that is not there is told', () => {
  put('fish_history', 'copies/of-fish');
  writeFileSync(join(home, 'empty'), '');
  const choose = (named: string) => chooseHistories(named, { HOME: home }, home);
  expect([choose('~/copies/of-fish'), choose('empty'), choose('fish').map(({ shell }) => shell)]).toEqual([
    [{ shell: 'fish', path: join(home, 'copies/of-fish') }],
    [{ shell: 'bash', path: join(home, 'empty') }],
    ['fish'],
  ]);
  expect(() => choose('nowhere')).toThrow(`cannot read a history from ${home}/nowhere`);
});
