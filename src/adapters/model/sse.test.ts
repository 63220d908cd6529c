import { expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import { EventStreamReader, type ServerSentEvent } from './sse.ts';

const encoder = new TextEncoder();

function read(chunks: readonly Uint8Array[]): ServerSentEvent[] {
  const reader = new EventStreamReader();
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()];
}

function dataOf(text: string): string[] {
  return read([encoder.encode(text)]).map((event) => event.data);
}

test('lines may end in LF, CRLF or CR, mixed', () => {
  expect(dataOf('data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\r\n\ndata: e\n\r\n')).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('one blank after the colon is dropped, and no more', () => {
  expect(dataOf('data:a\n\ndata: b\n\ndata:  c \n\ndata\n\n')).toEqual(['a', 'b', ' c ', '']);
});

test('several data lines are one text', () => {
  expect(dataOf('data: a\ndata:\ndata: b\n\n')).toEqual(['a\n\nb']);
});

test('comments and unknown fields are passed over, and a blank line alone is no event', () => {
  expect(dataOf('\n\n: ping\nid: 7\nretry: 5\nunknown: x\n\n:\n\ndata: a\n: between\ndata: b\n\n')).toEqual(['a\nb']);
});

test('a byte order mark is dropped at the start only', () => {
  expect(dataOf('\uFEFFdata: a\n\n\uFEFFdata: b\n\ndata: \uFEFFc\n\n')).toEqual(['a', '\uFEFFc']);
});

test('the type of an event does not reach the next one', () => {
  expect(
    read([encoder.encode('event: error\ndata: a\n\ndata: b\n\nevent: lost\n\ndata: c\n\n')]).map((event) => event.type),
  ).toEqual(['error', '', '']);
});

test('an error field makes an event of its own', () => {
  expect(read([encoder.encode('error: {"code":1}\n\n')])).toEqual([
    { type: '', data: '', error: '{"code":1}', finished: true },
  ]);
});

test('an event the body ends in is handed out as unfinished', () => {
  const tails = ['data: a', 'data: a\n', 'data: a\r', 'data: a\n\n', 'data: a\r\n\r'];
  expect(tails.map((tail) => read([encoder.encode(tail)]).map((event) => [event.data, event.finished]))).toEqual([
    [['a', false]],
    [['a', false]],
    [['a', false]],
    [['a', true]],
    [['a', true]],
  ]);
});

test('what is read does not depend on the cuts', () => {
  const piece = fc.constantFrom(
    'data: ',
    'data:',
    'é',
    '日',
    '🙂',
    '\r',
    '\n',
    '\r\n',
    '\n\n',
    ': x',
    'error: e',
    'event: t',
    'a',
    '\uFEFF',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
      (pieces, sizes) => {
        const bytes = encoder.encode(pieces.join(''));
        const chunks: Uint8Array[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(read(chunks)).toEqual(read([bytes]));
      },
    ),
  );
});

test('comments take no room, an open event does', () => {
  const reader = new EventStreamReader();
  reader.push(encoder.encode(`: ${'x'.repeat(1000)}\n`.repeat(100)));
  const afterComments = reader.held;
  reader.push(encoder.encode('data: 123456'));
  expect([afterComments, reader.held]).toEqual([0, 12]);
});
