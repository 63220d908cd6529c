import { expect, test } from 'bun:test';
import { OutputRecord, toPlainText } from './record.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function record(...chunks: string[]) {
  const output = new OutputRecord();
  for (const chunk of chunks) output.add(bytes(chunk));
  return output.finish();
}

test.each([
  ['colours', '\x1b[1;31mred\x1b[0m\r\n', 'red\n'],
  ['titles and links', '\x1b]0;title\x07a \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\', 'a link'],
  ['a title that never ends', '\x1b]633;E;\r\nnext\r\n', '633;E;\nnext\n'],
  ['a progress bar', '10%\r50%\r100%\r\ndone\r\n', '100%\ndone\n'],
  ['a line drawn over by a shorter one', 'loading\rok\x1b[K\r\n', 'ok\n'],
  ['backspaces', 'abx\b \bc', 'abc'],
  ['bells and shifts', 'a\x07b\x0ec', 'abc'],
  ['wide characters', '漢字\r\n', '漢字\n'],
  ['a sixel snapshot', 'x\x1bPq#0;1\n~~\x1b\\y', 'xy'],
])('plain text of %s', (_name, raw, plain) => {
  expect(toPlainText(bytes(raw))).toBe(plain);
});

test('what a full-screen program draws is no output, wherever its switches are cut', () => {
  const raw = 'before\r\n\x1b[?1049h\x1b[2Jdrawing\x1b[?1049lafter\r\n';
  for (let cut = 0; cut <= raw.length; cut++) {
    expect(record(raw.slice(0, cut), raw.slice(cut))).toEqual({ output: 'before\nafter\n', bytes: raw.length });
  }
});

test('of a large output head and tail stay, and the count of all bytes', () => {
  const output = new OutputRecord();
  for (let line = 0; line < 400_000; line++) output.add(bytes(`line ${line}\r\n`));
  const { output: text, bytes: count } = output.finish();
  expect(count).toBe(5_088_890);
  expect(text).toStartWith('line 0\nline 1\n');
  expect(text).toEndWith('line 399998\nline 399999\n');
  expect(text).toContain('bytes left out');
  expect(text.length).toBeLessThan(66 * 1024);
});

test('what counts as output is handed on as it comes, drawings left out', () => {
  const seen: string[] = [];
  const output = new OutputRecord((piece) => seen.push(Buffer.from(piece).toString()));
  output.add(bytes('\x1b[1mone\x1b[?1049hdrawing'));
  output.add(bytes('more\x1b[?1049ltwo'));
  expect(seen).toEqual(['\x1b[1mone', 'two']);
});
