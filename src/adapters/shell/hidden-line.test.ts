import { expect, test } from 'bun:test';
import { HiddenLine } from './typed-keys.ts';

/** The reports about keys that come in these pieces. */
function typed(pieces: readonly string[], isHidden = true): (readonly string[])[] {
  const line = new HiddenLine();
  return pieces.map((piece) => line.take(Buffer.from(piece), { isHidden }));
}

test('a line is told at its Enter, as it was corrected', () => {
  expect([
    typed(['swordfish\r']),
    typed(['s', 'w', 'o', 'x', '\x7f', 'r', 'd\n']),
    typed(['wrong\x15right\r', 'again\r']),
    typed(['grün\x7f\x7fß\r']),
    typed(['\x1b[200~pasted\x1b[201~\r']),
    typed(['\r']),
    typed(['gone\x03', 'new\r']),
  ]).toEqual([
    [['swordfish']],
    [[], [], [], [], [], [], ['sword']],
    [['right'], ['again']],
    [['grß']],
    [['pasted']],
    [[]],
    [[], ['new']],
  ]);
});

test('each line of a paste is told', () => {
  expect([typed(['first\rsecond\r']), typed(['\x1b[200~one\ntwo\n\nthree', '\x1b[201~\r'])]).toEqual([
    [['first', 'second']],
    [['one', 'two'], ['three']],
  ]);
});

test('what is typed with an echo is no hidden line', () => {
  expect(typed(['ls\r', 'seen'], false)).toEqual([[], []]);
});
