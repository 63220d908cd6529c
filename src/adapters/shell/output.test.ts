import { expect, test } from 'bun:test';
import { MarkScanner } from './output.ts';

const NONCE = 'a1b2';
const STREAM = `before\x1b]7711;${NONCE};D;3;/a;b\x07\x1b[1mafter\x1b]7711;${NONCE};W;4\x07end\x1b]7711;zzzz;W\x07`;

function scan(chunks: readonly Uint8Array[]): { output: string; marks: unknown[] } {
  const scanner = MarkScanner.ofShell(NONCE);
  const [output, marks]: [Uint8Array[], unknown[]] = [[], []];
  for (const chunk of chunks) {
    for (const piece of scanner.feed(chunk)) {
      if (piece.type === 'output') output.push(piece.bytes.slice());
      else marks.push([piece.kind, ...piece.fields]);
    }
  }
  output.push(scanner.flush());
  return { output: Buffer.concat(output).toString(), marks };
}

test('marks come out and all other bytes stay, wherever the stream is cut', () => {
  const bytes = new TextEncoder().encode(STREAM);
  const whole = {
    output: 'before\x1b[1mafterend\x1b]7711;zzzz;W\x07',
    marks: [
      ['D', '3', '/a;b'],
      ['W', '4'],
    ],
  };
  for (let cut = 0; cut <= bytes.length; cut++)
    expect(scan([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole);
  expect(scan(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
});

test('a mark that never ends is given out as output', () => {
  const text = `\x1b]7711;${NONCE};D;${'x'.repeat(20_000)}`;
  expect(scan([new TextEncoder().encode(text)])).toEqual({ output: text, marks: [] });
});
