import { expect, test } from 'bun:test';
import { LineFrames } from './stdio-transport.ts';

test('lines come out whole wherever the bytes were cut, inside a character too', () => {
  const bytes = new TextEncoder().encode('één\r\n\nzwei\n日本');
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const frames = new LineFrames(1000);
    const lines = [
      ...frames.push(bytes.subarray(0, cut)),
      ...frames.push(bytes.subarray(cut)),
      ...frames.push(Buffer.from('\n')),
    ];
    expect(lines).toEqual(['één', '', 'zwei', '日本']);
  }
});

test('a line past the limit is an error that names the limit', () => {
  const frames = new LineFrames(10);
  frames.push(Buffer.from('123456789\n12345'));
  expect(() => frames.push(Buffer.from('678901'))).toThrow('the server sent a message larger than 10 bytes');
});
