import { describe, expect, test } from 'bun:test';
import { MemoryHistory } from '../../../../test/support/memory-history.ts';
import type { LineEditorOptions } from '../../../core/editor/line-editor-options.ts';
import { LineEditor } from './line-editor.ts';

/** An editor without a screen. */
function open(options: Partial<LineEditorOptions> = {}): { editor: LineEditor; type: (...pieces: string[]) => void } {
  const editor = new LineEditor({
    write: () => {},
    size: () => ({ columns: 80, rows: 24 }),
    prompt: () => '',
    history: new MemoryHistory(['cp "a b.txt" x', 'mv one /tmp/two\\ three', 'ls']),
    complete: () => [],
    routeMark: () => '$ ',
    isComplete: () => true,
    ...options,
  });
  const type = (...pieces: string[]): void => {
    for (const piece of pieces) editor.feed(Buffer.from(piece));
  };
  return { editor, type };
}

describe('emacs keys', () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['Alt-U makes a word large', ['some word', '\x01', '\x1bu'], 'SOME word'],
    ['Alt-L makes a word small', ['SOME Word', '\x01', '\x1bl', '\x1bl'], 'some word'],
    ['Alt-C makes the first letters large', ['élan vital', '\x01', '\x1bc', '\x1bc'], 'Élan Vital'],
    ['Alt with a large letter is the small one', ['some word', '\x01', '\x1bU'], 'SOME word'],
    ['Alt-\\ takes blanks away', ['a   b', '\x1b[D', '\x1b\\'], 'ab'],
    ['a number repeats a key', ['abcdef', '\x1b3', '\x7f'], 'abc'],
    ['a number of two digits repeats a letter', ['\x1b1', '2', 'x'], 'xxxxxxxxxxxx'],
    ['Alt-S puts sudo before the line', ['rm x', '\x1b[D', '\x1bs', '!'], 'sudo rm !x'],
    ['Alt-S takes sudo away', ['sudo  rm x', '\x1b[D', '\x1bs', '!'], 'rm !x'],
    ['Alt-S puts sudo before the line entered last', ['\x1bs', '!'], 'sudo ls!'],
    ['Alt-P and Alt-N walk through lines that begin as this one', ['c', '\x1bp', '\x1bn'], 'c'],
    ['Ctrl-V puts a control character in', ['\x16', '\x03', '\x16', '\t'], '\x03\t'],
    ['Ctrl-V puts a whole sequence in', ['\x11', '\x1b[A'], '\x1b[A'],
    ['Ctrl-X Ctrl-U undoes', ['one', ' two', '\x18', '\x15'], 'one'],
    ['Ctrl-X with another key does nothing', ['one', '\x18', 'q', '!'], 'one!'],
    ['Alt-R takes all changes back', ['one', '\x1b[D', 'x', '\x1br'], ''],
    ['Ctrl-] finds a character', ['one two', '\x01', '\x1d', 't', 'X'], 'one Xtwo'],
    ['letters deleted in a row come back together', ['abc', '\x7f', '\x7f', '\x1f'], 'abc'],
    ['Alt-. puts the last word of the line before in', ['cat ', '\x1b.'], 'cat ls'],
    ['Alt-. again goes further back', ['cat ', '\x1b.', '\x1b.'], 'cat /tmp/two\\ three'],
    ['Alt-. is one step to undo, however often it was pressed', ['cat', ' ', '\x1b.', '\x1b.', '\x1f'], 'cat '],
  ];
  for (const [title, keys, expected] of cases) {
    test(title, () => {
      const { editor, type } = open();
      type(...keys);
      expect(editor.text).toBe(expected);
    });
  }

  test('Alt-# enters the line as a comment', async () => {
    const { editor, type } = open();
    const read = editor.read();
    type('rm -r x', '\x1b#');
    expect(await read).toEqual({ type: 'line', text: '#rm -r x' });
  });

  test('Ctrl-O enters a line of history and goes to the one after it', async () => {
    const { editor, type } = open();
    const read = editor.read();
    type('\x1b[A', '\x1b[A', '\x0f');
    expect([await read, editor.text]).toEqual([{ type: 'line', text: 'mv one /tmp/two\\ three' }, 'ls']);
  });

  test('what was killed in one line is there in the next', async () => {
    const { editor, type } = open();
    const read = editor.read();
    type('keep', '\x15', '\r');
    await read;
    type('\x19', '\x19');
    expect(editor.text).toBe('keepkeep');
  });
});

describe('a long paste', () => {
  const long = Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n');
  const paste = `\x1b[200~${long}\n\x1b[201~`;

  test('is one character for the keys', () => {
    const { editor, type } = open();
    type('a', paste, 'b', '\x1b[D', '\x1b[D', 'X');
    const before = editor.text;
    type('\x1b[C', '\x7f');
    expect([before, editor.text]).toEqual([`aX${long}b`, 'aXb']);
  });

  test('is shown in full by Tab', () => {
    const { editor, type } = open();
    type(paste, '\t', '\x1b[A', 'X');
    expect(editor.text).toBe(long.replace('line 18', 'line 18X'));
  });

  test('keeps its text when it is killed and yanked', () => {
    const { editor, type } = open();
    type('a', paste, '\x15', '\x19', '\x19');
    expect(editor.text).toBe(`a${long}a${long}`);
  });

  test('without brackets is one piece, however many reads it takes', () => {
    const { editor, type } = open();
    const text = Array.from({ length: 400 }, (_, at) => `line ${at}\r`).join('');
    for (let at = 0; at < text.length; at += 500) type(text.slice(at, at + 500));
    const before = editor.text;
    type('\x1f');
    expect([before, editor.view.text.length < 200]).toEqual([text.trimEnd().replaceAll('\r', '\n'), true]);
  });

  test('without brackets runs nothing when its last line comes alone', async () => {
    const { editor, type } = open();
    void editor.read();
    type('one\rtwo\r', 'three\r');
    expect([editor.isReading, editor.text]).toEqual([true, 'one\ntwo\nthree']);
  });
});

describe('Ctrl-X Ctrl-E', () => {
  test('puts what comes back in the place of the text and does not run it', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const given: string[] = [];
    const { editor, type } = open({
      editExternally: (text) => {
        given.push(text);
        return promise;
      },
    });
    void editor.read();
    type('ls', '\x18', '\x05');
    resolve('ls -l\necho done\n');
    await promise;
    await Bun.sleep(0);
    expect([given, editor.text, editor.isReading]).toEqual([['ls'], 'ls -l\necho done', true]);
  });

  test('keeps the text when the editor fails', async () => {
    const { editor, type } = open({ editExternally: () => Promise.reject(new Error('no editor')) });
    void editor.read();
    type('ls', '\x18', '\x05');
    await Bun.sleep(0);
    expect([editor.text, editor.isReading]).toEqual(['ls', true]);
  });
});
