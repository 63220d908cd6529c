import { describe, expect, test } from 'bun:test';
import type { Completion } from '../completion/completion.ts';
import { PLAIN_THEME } from '../terminal/theme.ts';
import { CompletionMenu } from './completion-menu.ts';
import { atEnd } from './edit.ts';

const SIZE = { columns: 40, rows: 24 };

function named(names: readonly string[], start = 0): Completion[] {
  return names.map((text) => ({ start, text }));
}

function numbered(count: number): Completion[] {
  return Array.from({ length: count }, (_, at) => ({ start: 0, text: `n${at}`, description: `number ${at}` }));
}

function opened(text: string, completions: readonly Completion[]): CompletionMenu {
  const menu = new CompletionMenu();
  menu.open(atEnd(text), completions);
  return menu;
}

const rows = (menu: CompletionMenu, size = SIZE) => menu.lines(size, PLAIN_THEME);

describe('what opening leaves in the line', () => {
  const openings: readonly (readonly [string, string, readonly Completion[], string])[] = [
    ['the only one with a blank', 'cat pl', named(['plain'], 4), 'cat plain '],
    ['a folder without one', 'cd s', [{ start: 3, text: 'src/', suffix: '' }], 'cd src/'],
    ['what all have in common', 'git ch', named(['checkout', 'check-ignore'], 4), 'git check'],
    ['the letter case of what there is', 'cd doc', named(['Documents/', 'Docs/'], 3), 'cd Doc'],
    ['what is typed where only its letters fit', 'git ckt', named(['checkout', 'c-k-t'], 4), 'git ckt'],
    ['no half of a protected blank', 'cat a', named(['a\\ b', 'a\\(c'], 4), 'cat a'],
  ];
  for (const [title, typed, completions, text] of openings) {
    test(title, () => expect(new CompletionMenu().open(atEnd(typed), completions)).toEqual(atEnd(text)));
  }

  test('nothing where there is nothing', () => expect(new CompletionMenu().open(atEnd('x'), [])).toBeNull());
});

test('descriptions stand in a second column, clipped at the edge', () => {
  const menu = opened('', [
    { start: 0, text: 'add', description: 'put changes of files into the next commit' },
    { start: 0, text: 'commit' },
  ]);
  expect(rows(menu)).toEqual(['  add     put changes of files into th…', '  commit']);
});

test('names alone stand in columns, below one another', () => {
  const menu = opened('', named(['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7', 'h8']));
  expect(rows(menu, { columns: 20, rows: 24 })).toEqual(['  a1    d4    g7', '  b2    e5    h8', '  c3    f6']);
});

test('arrows walk columns, Tab the list, and both go round or stay', () => {
  const menu = opened('', named(['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7', 'h8']));
  rows(menu, { columns: 20, rows: 24 });
  const walk = ['tab', 'right', 'right', 'right', 'left', 'up', 'shift-tab', 'down'].map((key) => {
    const outcome = menu.press(key);
    return typeof outcome === 'string' ? outcome : outcome.text;
  });
  expect(walk).toEqual(['a1', 'd4', 'g7', 'taken', 'd4', 'c3', 'b2', 'c3']);
});

test('Shift-Tab begins at the end', () => {
  const menu = opened('', named(['a1', 'b2']));
  expect(menu.press('shift-tab')).toEqual(atEnd('b2'));
});

test('a long list scrolls, and says where in it we are', () => {
  const menu = opened('', numbered(120));
  const before = rows(menu);
  for (let at = 0; at < 12; at++) menu.press('tab');
  const after = rows(menu);
  expect([before.length, before.at(-1), after.length, after[7], after[8]]).toEqual([
    9,
    '  120 completions',
    9,
    '> n11   number 11',
    '  12 of 120',
  ]);
});

test('the height stays while typing narrows the list', () => {
  const menu = opened('n', numbered(20));
  const before = rows(menu).length;
  menu.narrow(atEnd('n1'));
  const narrowed = rows(menu);
  menu.narrow(atEnd('n19'));
  expect([before, narrowed.length, rows(menu)]).toEqual([9, 9, ['  n19  number 19', '', '', '', '', '', '', '', '  1 completion']]);
});

test('what nothing fits, and a new word, close the list', () => {
  const isOpen = ['nx', 'n1 ', ''].map((text) => {
    const menu = opened(
      'n',
      numbered(20).map((one) => ({ ...one, start: 1 })),
    );
    menu.narrow(atEnd(text));
    return menu.isOpen;
  });
  expect(isOpen).toEqual([false, false, false]);
});

test('typing on compares with the name, not with its quotes', () => {
  const menu = opened('cat my', [
    { start: 4, text: 'my\\ file', value: 'my file' },
    { start: 4, text: 'mine', value: 'mine' },
  ]);
  menu.narrow(atEnd('cat my\\ f'));
  expect(rows(menu)).toEqual(['  my file']);
});

test('Escape brings back what was typed, Enter keeps what is selected', () => {
  const escaped = opened('git s', named(['status', 'stash'], 4));
  escaped.press('tab');
  const entered = opened('git s', named(['status', 'stash'], 4));
  entered.press('tab');
  expect([escaped.press('escape'), escaped.isOpen, entered.press('enter'), entered.isOpen]).toEqual([
    atEnd('git sta'),
    false,
    'taken',
    false,
  ]);
});

test('Enter without a selection, and arrows before one, are for the line', () => {
  const menu = opened('', named(['a1', 'b2']));
  rows(menu);
  expect([menu.press('enter'), menu.press('left'), menu.press('right')]).toEqual(['not taken', 'not taken', 'not taken']);
});

test('no label or description steers the terminal', () => {
  const menu = opened('', [
    { start: 0, text: "a$'\\x1b'", value: 'a\x1b[31m\nb', description: 'x\x1b]0;owned\x07y' },
    { start: 0, text: 'c', label: 'c\r\u202e' },
  ]);
  expect(rows(menu).join('\n')).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]/);
});
