import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guessShell, parseBashHistory, parseFishHistory, parseZshHistory } from './import-history.ts';

const FIXTURES = join(import.meta.dir, '../../../test/fixtures/history');

function read(name: string): Buffer {
  return readFileSync(join(FIXTURES, name));
}

test('bash with times: what lies between two of them is one command', () => {
  expect(parseBashHistory(read('bash_history').toString())).toEqual([
    { line: 'git log --oneline', at: 1_700_000_010_000, durationMs: null },
    { line: 'for x in a b; do\n  echo $x\ndone', at: 1_700_000_020_000, durationMs: null },
    { line: 'mysql -psecret shop', at: 1_700_000_030_000, durationMs: null },
    { line: 'make test', at: 1_700_000_040_000, durationMs: null },
  ]);
});

test('bash without times: each line is a command, and a comment is no time', () => {
  const found = parseBashHistory(`${read('bash_history_without_times')}# note\n#12\n`);
  expect(found.map(({ line, at }) => `${at} ${line}`)).toEqual([
    '0 ls -l',
    '0 cd /tmp',
    '0 cd /tmp',
    '0  hidden by a blank',
    '0 for x in a b; do echo $x; done',
    '0 # note',
    '0 #12',
  ]);
});

test('bash: lines from before the times came are commands of their own', () => {
  expect(parseBashHistory('old one\nold two\n#1700000010\nnew\n').map(({ line }) => line)).toEqual([
    'old one',
    'old two',
    'new',
  ]);
});

test('zsh: times, durations, several lines, and bytes of other scripts', () => {
  expect(parseZshHistory(read('zsh_history'))).toEqual([
    { line: 'echo größer 日本 ß', at: 1_700_000_110_000, durationMs: 0 },
    { line: 'for f in *; do\n  echo $f\ndone', at: 1_700_000_120_000, durationMs: 0 },
    { line: 'echo ends with \\', at: 1_700_000_130_000, durationMs: 0 },
    { line: 'export API_KEY=not-to-be-kept', at: 1_700_000_140_000, durationMs: 0 },
    { line: 'echo plain', at: 1_700_000_150_000, durationMs: 3000 },
  ]);
});

test('zsh without times is read too', () => {
  expect(parseZshHistory(Buffer.from('ls\necho a\\\nb\n'))).toEqual([
    { line: 'ls', at: 0, durationMs: null },
    { line: 'echo a\nb', at: 0, durationMs: null },
  ]);
});

test('fish: times, several lines and backslashes', () => {
  expect(parseFishHistory(read('fish_history').toString())).toEqual([
    { line: 'echo one', at: 1_700_000_210_000, durationMs: null },
    { line: 'echo "two\nlines"', at: 1_700_000_220_000, durationMs: null },
    { line: "echo 'back\\\\slash' README", at: 1_700_000_230_000, durationMs: null },
    { line: 'exit', at: 1_700_000_240_000, durationMs: null },
  ]);
});

test('what a file is shows in its lines', () => {
  const names = ['bash_history', 'bash_history_without_times', 'zsh_history', 'fish_history'];
  expect(names.map((name) => guessShell(read(name).toString()))).toEqual(['bash', 'bash', 'zsh', 'fish']);
});

test('what is no history gives no lines and no fault', () => {
  const nothing = Buffer.from([0x83]);
  expect([parseBashHistory(''), parseFishHistory('- cmd: \n'), parseZshHistory(Buffer.of())]).toEqual([[], [], []]);
  expect(parseZshHistory(nothing)).toHaveLength(1);
});
