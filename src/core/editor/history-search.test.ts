import { describe, expect, test } from 'bun:test';
import type { FoundLine } from '../prompt/history-match.ts';
import { createTheme, PLAIN_THEME } from '../terminal/theme.ts';
import { HistorySearch, type SearchOutcome } from './history-search.ts';
import type { Key } from './keys.ts';

const NOW = 1_700_000_000_000;
const SIZE = { columns: 80, rows: 24 };

function found(line: string, more: Partial<FoundLine> = {}): FoundLine {
  return { line, at: 0, cwd: '/w', who: 'user', exit: 0, ...more };
}

/** Newest first, as the search gets them. */
function searchFor(lines: readonly (string | FoundLine)[], text = '', here: readonly number[] = []): HistorySearch {
  const all = lines.map((line) => (typeof line === 'string' ? found(line) : line));
  const set = new Set(here.flatMap((at) => all[at] ?? []));
  return new HistorySearch({ lines: all, here: set, now: NOW }, text);
}

function toKey(name: string): Key {
  return { type: 'key', key: name } as Key;
}

function type(search: HistorySearch, text: string): HistorySearch {
  for (const letter of text) search.handle({ type: 'text', text: letter } as Key);
  return search;
}

function press(search: HistorySearch, ...keys: readonly string[]): readonly SearchOutcome[] {
  return keys.map((key) => search.handle(toKey(key)));
}

/** All that is found, the best first. */
function listed(search: HistorySearch): readonly string[] {
  const rows = search.rows({ columns: 40, rows: 100 }, PLAIN_THEME).slice(1);
  return rows.map((row) => row.slice(7));
}

describe('what is found', () => {
  test('the text as it stands at the begin of a word, then within one, then its words, then its letters', () => {
    const lines = ['false', 'grep x | less | sed', 'ls -la', 'sed s/l/s/ | wc -l', 'cat'];
    expect(listed(type(searchFor(lines), 'ls'))).toEqual(['ls -la', 'false', 'sed s/l/s/ | wc -l', 'grep x | less | sed']);
  });

  test('words in any order, and letters that stand close together first', () => {
    const lines = ['docker run --rm x', 'git checkout main', 'git commit', 'main git'];
    expect([listed(type(searchFor(lines), 'main git')), listed(type(searchFor(lines), 'gco'))]).toEqual([
      ['main git', 'git checkout main'],
      ['git commit', 'git checkout main'],
    ]);
  });

  test('letter case counts from the first capital on', () => {
    const lines = ['Make all', 'make it', 'ls'];
    expect([listed(type(searchFor(lines), 'make')), listed(type(searchFor(lines), 'Make'))]).toEqual([
      ['Make all', 'make it'],
      ['Make all'],
    ]);
  });

  test('of lines that match alike the newest comes first', () => {
    expect(listed(type(searchFor(['make c', 'make b', 'make a']), 'make'))).toEqual(['make c', 'make b', 'make a']);
  });

  test('shortening what is looked for finds again what was found before', () => {
    const search = type(searchFor(['abc', 'ab', 'a']), 'abc');
    const narrow = listed(search);
    press(search, 'backspace');
    const wide = listed(search);
    press(search, 'ctrl-u');
    expect([narrow, wide, listed(search)]).toEqual([['abc'], ['abc', 'ab'], ['abc', 'ab', 'a']]);
  });
});

describe('keys', () => {
  test('the next match, the one before, and the edges', () => {
    const search = type(searchFor(['git c', 'git b', 'git a']), 'git');
    const at = (...keys: string[]) => {
      press(search, ...keys);
      return search.found?.text;
    };
    expect([at(), at('ctrl-r'), at('down', 'down'), at('up'), at('ctrl-s', 'ctrl-s')]).toEqual([
      'git c',
      'git b',
      'git a',
      'git b',
      'git c',
    ]);
  });

  test('nothing is found before something is looked for or chosen, so that Enter runs nothing', () => {
    const search = searchFor(['rm -r x']);
    const before = search.found;
    press(search, 'ctrl-r');
    expect([before, search.found?.text]).toEqual([null, 'rm -r x']);
  });

  test('Enter leaves the key to the line; Tab and Right take the line only; Escape and Ctrl-G give up', () => {
    const outcomes = ['enter', 'tab', 'right', 'escape', 'ctrl-g', 'ctrl-a'].map((key) => {
      return press(type(searchFor(['ls']), 'ls'), key)[0];
    });
    expect(outcomes).toEqual(['passed', 'taken', 'taken', 'cancelled', 'cancelled', 'passed']);
  });

  test('Enter where nothing was found does nothing', () => {
    const search = type(searchFor(['ls'], 'typed'), 'x');
    expect([press(search, 'enter'), search.found]).toEqual([['searching'], null]);
  });

  test('Ctrl-T keeps to the lines of this directory, and back', () => {
    const search = type(searchFor(['make a', 'make b'], '', [1]), 'make');
    press(search, 'ctrl-t');
    const here = [search.found?.text, listed(search)];
    press(search, 'ctrl-t');
    expect([here, listed(search)]).toEqual([
      ['make b', ['make b']],
      ['make a', 'make b'],
    ]);
  });

  test('what was typed before is what is looked for', () => {
    expect(searchFor(['ls', 'git log'], 'log').found?.text).toBe('git log');
  });
});

describe('rows', () => {
  test('time, line, status, hand and directory of each match', () => {
    const lines = [
      found('make', { at: NOW - 65_000, exit: 2, cwd: '/home/me/project' }),
      found('make it\nso', { at: NOW - 7_200_000, who: 'model' }),
    ];
    expect(type(searchFor(lines, '', [1]), 'make').rows(SIZE, PLAIN_THEME)).toEqual([
      'search: make  2 lines everywhere · Ctrl-T searches only this directory',
      `>   1m make${' '.repeat(49)}exit 2 · me/project`,
      `    2h make it↵so${' '.repeat(60)}ai`,
    ]);
  });

  test('the letters that matched are marked', () => {
    const theme = createTheme({ TERM: 'xterm' });
    const [, row = ''] = type(searchFor(['git commit', 'x']), 'gco').rows({ columns: 40, rows: 24 }, theme);
    expect(row.replaceAll('\x1b[7m\x1b[1m\x1b[4m', '<').replaceAll(/\x1b\[[\d;]*m/g, '|')).toBe('> |    | <g||it |<co||mmit|');
  });

  test('control characters are shown and not played, and long lines are cut', () => {
    const [, row = '', next = ''] = searchFor(['ls \x1b]0;x\x07', 'y'.repeat(300)]).rows({ columns: 30, rows: 24 }, PLAIN_THEME);
    expect([row, next]).toEqual(['       ls <U+001B>]0;x', `       ${'y'.repeat(22)}`]);
  });

  test('only as many as the screen has room for, around the one that is selected', () => {
    const search = type(searchFor(Array.from({ length: 30 }, (_, at) => `make ${at}`)), 'make');
    press(search, ...Array.from({ length: 12 }, () => 'down'));
    const rows = search.rows({ columns: 40, rows: 9 }, PLAIN_THEME);
    expect([rows.length, rows.at(-1)]).toEqual([6, '>      make 12']);
  });
});
