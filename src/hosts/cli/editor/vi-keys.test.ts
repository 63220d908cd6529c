import { describe, expect, test } from 'bun:test';
import { MemoryHistory } from '../../../../test/support/memory-history.ts';
import { ViKeys } from '../../../core/editor/vi-keys.ts';
import { LineEditor } from './line-editor.ts';

const ESC = '\x1b[27u';

function open(lines: readonly string[] = ['older', 'newer']): {
  editor: LineEditor;
  type: (...pieces: string[]) => void;
  written: string[];
} {
  const written: string[] = [];
  const editor = new LineEditor({
    write: (text) => written.push(text),
    size: () => ({ columns: 80, rows: 24 }),
    prompt: () => '',
    history: new MemoryHistory(lines),
    complete: () => [],
    routeMark: () => '$ ',
    isComplete: () => true,
  });
  editor.useKeys((line, keys) => new ViKeys(line, keys));
  const type = (...pieces: string[]): void => {
    for (const piece of pieces) editor.feed(Buffer.from(piece));
  };
  return { editor, type, written };
}

/** The text with a bar before the character the cursor stands on. */
function shown(editor: LineEditor): string {
  const { text, cursor } = editor.view;
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

describe('vi keys', () => {
  // Each begins with a text and the cursor on its last character, in normal mode.
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['h and l stay in the line', 'abc', '5h', '|abc'],
    ['l does not go behind the last character', 'abc', 'll', 'ab|c'],
    ['0 and $ go to the ends', 'abc', '0', '|abc'],
    ['^ goes to the first letter', '  abc', '^', '  |abc'],
    ['w goes over signs and blanks', 'one-two three', '0ww', 'one-|two three'],
    ['W goes over blanks only', 'one-two three', '0W', 'one-two |three'],
    ['b and e', 'one two three', 'bbe', 'one tw|o three'],
    ['B and E', 'a one-two x', '0WE', 'a one-tw|o x'],
    ['f, ; and ,', 'a-b-c-d', '0f-;;,', 'a-b|-c-d'],
    ['T stops behind a character', 'a-b-c-d', 'T-', 'a-b-c-|d'],
    ['% goes to the other bracket', 'a (b (c) d)', '%', 'a |(b (c) d)'],
    ['x with a number', 'abcdef', '03x', '|def'],
    ['X takes the character before', 'abc', 'X', 'a|c'],
    ['dw', 'one two three', '0dw', '|two three'],
    ['d2w', 'one two three', '0d2w', '|three'],
    ['2dw', 'one two three', '02dw', '|three'],
    ['de leaves the blank', 'one two', '0de', '| two'],
    ['db', 'one two', 'db', 'one |o'],
    ['dt stops before the character', 'one=two', '0dt=', '|=two'],
    ['df takes it too', 'one=two', '0df=', '|two'],
    ['D and C', 'one two', '0wD', 'one| '],
    ['diw', 'one two three', '0wdiw', 'one | three'],
    ['daw', 'one two three', '0wdaw', 'one |three'],
    ['di"', 'say "some thing" x', '0f di"', 'say "|" x'],
    ['da(', 'a (b c) d', '0fbda(', 'a | d'],
    ['cw leaves the blank', 'one two', '0cwX', 'X| two'],
    ['cc', 'one two', 'ccX', 'X|'],
    ['S is cc', 'one two', 'SX', 'X|'],
    ['r', 'abc', '0rX', '|Xbc'],
    ['r with a number', 'abc', '02rX', 'X|Xc'],
    ['R writes over', 'abcd', '0RXY', 'XY|cd'],
    ['~ switches letters', 'abc', '02~', 'AB|c'],
    ['gUiw', 'one two', 'gUiw', 'one |TWO'],
    ['yw and p', 'one two', '0ywwP', 'one one| two'],
    ['x and p swap', 'abc', '0xp', 'b|ac'],
    ['u takes a change back', 'one two', '0dwu', '|one two'],
    ['. does a change once more', 'one two three', '0dw.', '|three'],
    ['A adds at the end', 'abc', '0Ax', 'abcx|'],
    ['I adds at the beginning', 'abc', 'Ix', 'x|abc'],
    ['v selects and d deletes', 'one two', '0ved', '| two'],
    ['viw and U', 'one two', 'viwU', 'one |TWO'],
    ['J joins lines', 'abc', 'ox', 'abc\nx|'],
    ['V takes the whole line', 'one two', 'bVd', '|'],
    ['viw and p put what was killed in the place of a word', 'one two', 'diw0viwp', '|two '],
    ['vr replaces each selected character', 'one two', '0ver-', '|--- two'],
    ['o in a selection goes to its other end', 'one two', '0veohx', '| two'],
    ['_ goes to the first letter', '  abc', '_', '  |abc'],
    ['k walks history', '', 'k', 'newe|r'],
  ];
  for (const [title, text, keys, expected] of cases) {
    test(`${title}: ${keys}`, () => {
      const { editor, type } = open();
      type(text, ESC, keys);
      expect(shown(editor)).toBe(expected);
    });
  }

  test('ci( takes what is between brackets, and typing goes on there', () => {
    const { editor, type } = open();
    type('f(a, b)', ESC, '0faci(', 'x', ESC);
    expect(shown(editor)).toBe('f(|x)');
  });

  test('a change with what was typed in it is done once more', () => {
    const { editor, type } = open();
    type('one two three', ESC, '0cw', 'X', ESC, 'w', '.');
    expect(shown(editor)).toBe('X |X three');
  });

  test('u takes back a change with all that was typed in it, and one made once more as well', () => {
    const changed = (...keys: string[]): string => {
      const { editor, type } = open();
      type('one two three', ESC, '0cw', 'X Y', ESC, ...keys);
      return shown(editor);
    };
    expect([changed('u'), changed('w.u'), changed('w.uu'), changed('u', '\x12')]).toEqual([
      '|one two three',
      'X Y |two three',
      '|one two three',
      'X |Y two three',
    ]);
  });

  test('Escape and a letter in one read are two keys', () => {
    const { editor, type } = open();
    type('one two', '\x1bb', 'x');
    expect(shown(editor)).toBe('one |wo');
  });

  test('whole lines are put below', () => {
    const { editor, type } = open();
    type('one', '\x1b\r', 'two', ESC, 'k', 'dd', 'p');
    expect(shown(editor)).toBe('two\n|one');
  });

  test('dj, dG, and a selection of lines take whole lines, and p puts them below', () => {
    const lines = (...keys: string[]): string => {
      const { editor, type } = open();
      type('one', '\x1b\r', 'two', '\x1b\r', 'three', ESC, ...keys);
      return shown(editor);
    };
    expect([lines('kkdj'), lines('kdG'), lines('dgg'), lines('kkVjdp'), lines('Vky', 'P'), lines('kVlcX')]).toEqual([
      '|three',
      '|one',
      '|',
      'three\n|one\ntwo',
      'one\n|two\nthree\ntwo\nthree',
      'one\nX|\nthree',
    ]);
  });

  test('n and N go through what the last search found, and / begins with nothing', () => {
    const { editor, type } = open(['git a', 'git b', 'ls', 'git c']);
    type('typed', ESC, '/', 'git', '\t');
    const texts = [editor.text];
    for (const key of 'nnnN') {
      type(key);
      texts.push(editor.text);
    }
    expect(texts).toEqual(['git c', 'git b', 'git a', 'git a', 'git b']);
  });

  test('characters are whole for every key', () => {
    const { editor, type } = open();
    type('a👨\u200d👩\u200d👧e\u0301', ESC, 'h', 'x');
    expect(shown(editor)).toBe('a|e\u0301');
  });

  test('Enter runs the line in normal mode too, and the next line begins with text', async () => {
    const { editor, type } = open();
    const read = editor.read();
    type('ls', ESC, '\r');
    const first = await read;
    void editor.read();
    type('x');
    expect([first, editor.text]).toEqual([{ type: 'line', text: 'ls' }, 'x']);
  });

  test('the mark and the cursor show the mode, and the cursor is given back', () => {
    const { editor, type, written } = open();
    void editor.read();
    type('ls');
    const typed = editor.view.mark;
    type(ESC);
    const normal = editor.view.mark;
    editor.close();
    const all = written.join('');
    expect([typed, normal, all.includes('\x1b[6 q'), all.includes('\x1b[2 q'), all.endsWith('\x1b[0 q')]).toEqual([
      '$ ',
      'N$ ',
      true,
      true,
      true,
    ]);
  });
});
