import { describe, expect, test } from 'bun:test';
import { MemoryHistory } from '../../../../test/support/memory-history.ts';
import { LineEditor } from './line-editor.ts';

function open(columns = 20): { editor: LineEditor; written: () => string; type: (...pieces: string[]) => void } {
  let all = '';
  const editor = new LineEditor({
    write: (text) => {
      all += text;
    },
    size: () => ({ columns, rows: 10 }),
    prompt: () => 'here ',
    history: new MemoryHistory(['older line']),
    complete: ({ text }) => [`${text}1`, `${text}2`].map((one) => ({ start: 0, text: one })),
    routeMark: () => '$ ',
    isComplete: () => true,
    painter: 'plain',
    marksPastes: false,
  });
  void editor.read();
  const written = (): string => {
    const text = all;
    all = '';
    return text;
  };
  const type = (...pieces: string[]): void => {
    for (const piece of pieces) editor.feed(Buffer.from(piece));
  };
  return { editor, written, type };
}

describe('the plain painter', () => {
  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['writes a letter as it is', ['a', 'b'], 'here $ ab'],
    ['takes the last letter back', ['ab', '\x7f'], 'here $ ab\b \b'],
    ['takes a wide letter back', ['日', '\x7f'], 'here $ 日\b \b\b \b'],
    ['steps back and forth', ['ab', '\x1b[D', '\x1b[D', '\x1b[C'], 'here $ ab\b\ba'],
    ['writes the row anew for a change within', ['ab', '\x1b[D', 'x'], 'here $ ab\b\rhere $ axb\b'],
    ['wipes what a shorter row leaves over', ['abcd', '\x15', 'x'], 'here $ abcd\b \b\b \b\b \b\b \bx'],
    ['begins a new line below', ['ab', '\x1b\r', 'c'], 'here $ ab\r\n> c'],
    ['goes on in the next row when one is full', ['abcdefghijklmn'], 'here $ abcdefghijkl\r\nmn'],
    ['writes the line before once more below', ['ab', '\x1b\r', '\x1b[A'], 'here $ ab\r\n> \r\nhere $ ab\b\b'],
    ['tells what can stand there once', ['a', '\t'], 'here $ a\r\n  a1    a2\r\nhere $ a'],
  ];
  for (const [title, keys, expected] of cases) {
    test(title, () => {
      const { written, type } = open();
      type(...keys);
      expect(written()).toBe(expected);
    });
  }

  test('prints above by printing on', () => {
    const { editor, written, type } = open();
    type('ab');
    written();
    editor.setLive(['changes']);
    editor.printAbove('done\n');
    expect(written()).toBe('\r         \rdone\r\nhere $ ab');
  });

  test('never sends a sequence', () => {
    const { editor, written, type } = open();
    type('ab', '\x1b[A', '\x12', 'old', '\x07', '\x0c', '\x1b[200~x\ny\x1b[201~', '\x1b[D', '\x18\x15', '\t', '\t');
    editor.printAbove('note');
    editor.hide();
    editor.show();
    editor.resized();
    type('\r');
    expect(written()).not.toContain('\x1b');
  });
});
