import { describe, expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import { toGraphemes } from '../terminal/graphemes.ts';
import { EditBuffer } from './buffer.ts';
import {
  atEnd,
  blankLeft,
  cutTo,
  deleteBackward,
  deleteForward,
  type EditState,
  insertText,
  leftOf,
  lineMove,
  rightOf,
  transposeCharacters,
  transposeWords,
  wordLeft,
  wordRight,
} from './edit.ts';

/** `ab|c` is the text abc with the cursor before c. */
function parse(shown: string): EditState {
  const cursor = shown.indexOf('|');
  return { text: shown.replace('|', ''), cursor };
}

function show({ text, cursor }: EditState): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

describe('edits', () => {
  const family = '👨\u200d👩\u200d👧';
  const cases: readonly (readonly [string, string, (state: EditState) => EditState, string])[] = [
    ['backspace takes a whole emoji', `a${family}|b`, deleteBackward, 'a|b'],
    ['delete takes a letter with its accent', 'a|e\u0301b', deleteForward, 'a|b'],
    ['backspace takes a flag', '🇩🇪🇫🇷|', deleteBackward, '🇩🇪|'],
    ['backspace at the start does nothing', '|ab', deleteBackward, '|ab'],
    ['an inserted accent joins the letter before', 'e|x', (state) => insertText(state, '\u0301'), 'e\u0301|x'],
    ['characters at the end are transposed', 'ab|', transposeCharacters, 'ba|'],
    ['characters around the cursor are transposed', 'a|日c', transposeCharacters, '日a|c'],
    ['one character is not transposed', 'a|', transposeCharacters, 'a|'],
    ['words are transposed', 'one tw|o x', transposeWords, 'two one| x'],
    ['words are transposed at the end', 'one two|', transposeWords, 'two one|'],
  ];
  for (const [title, before, edit, after] of cases) test(title, () => expect(show(edit(parse(before)))).toBe(after));

  test('words stop at punctuation, shell words at blanks', () => {
    const state = parse('cat ~/a-b.txt| x');
    expect([wordLeft(state), blankLeft(state), wordRight(state)]).toEqual([10, 4, 15]);
  });

  test('up and down keep the column, counting wide characters', () => {
    expect(lineMove(parse('日本語\nabc|'), 'up')).toBe(1);
    expect(lineMove(parse('ab|c\nx'), 'down')).toBe(5);
    expect(lineMove(parse('ab|c'), 'down')).toBeNull();
  });

  test('after any edits the cursor stands between two characters', () => {
    const piece = fc.constantFrom('a', ' ', '\n', 'é', 'e\u0301', '\u0301', '日', '👩', '\u200d', '🇩', '🇪', '한', '\u1100\u1161', 'क्ष');
    const step = fc.oneof(
      piece,
      fc.constantFrom(deleteBackward, deleteForward, transposeCharacters, transposeWords, 'left', 'right', 'word'),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let state = atEnd('');
        for (const one of steps) {
          if (typeof one === 'function') state = one(state);
          else if (one === 'left') state = { ...state, cursor: leftOf(state) };
          else if (one === 'right') state = { ...state, cursor: rightOf(state) };
          else if (one === 'word') state = cutTo(state, blankLeft(state)).state;
          else state = insertText(state, one);
          const edges = [0];
          for (const line of state.text.split(/(\n)/))
            for (const grapheme of toGraphemes(line)) edges.push((edges.at(-1) ?? 0) + grapheme.length);
          expect(edges).toContain(state.cursor);
        }
      }),
    );
  });
});

describe('EditBuffer', () => {
  test('undoes word by word and redoes', () => {
    const buffer = new EditBuffer();
    for (const letter of 'one two') buffer.type(letter);
    buffer.undo();
    const undone = buffer.text;
    buffer.redo();
    expect([undone, buffer.text]).toEqual(['one', 'one two']);
  });

  test('kills in a row come back as one piece', () => {
    const buffer = new EditBuffer();
    buffer.replace('one two three');
    buffer.kill(cutTo(buffer.state, blankLeft(buffer.state)), 'before');
    buffer.kill(cutTo(buffer.state, blankLeft(buffer.state)), 'before');
    const left = buffer.text;
    buffer.yank();
    expect([left, buffer.text]).toEqual(['one ', 'one two three']);
  });

  test('a second yank key walks the ring', () => {
    const buffer = new EditBuffer();
    buffer.replace('a b');
    buffer.kill(cutTo(buffer.state, 2), 'before');
    buffer.moveTo(0);
    buffer.kill(cutTo(buffer.state, 1), 'after');
    buffer.yank();
    buffer.yankPop();
    expect(buffer.text).toBe('b ');
  });
});
