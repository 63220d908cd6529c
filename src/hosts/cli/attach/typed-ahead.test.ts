import { expect, test } from 'bun:test';
import { TypedAhead } from './typed-ahead.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What stands in the line after keys that came so many milliseconds after a command began, and which of them had seen it. */
function type(...keys: readonly (readonly [at: number, text: string])[]): { readonly line: string; seen: boolean[] } {
  const ahead = new TypedAhead();
  ahead.begin(5000);
  const seen = keys.map(([at, text]) => !ahead.take(bytes(text), 5000 + at));
  return { line: ahead.takeAll(), seen };
}

test('a line that was entered in the moment a command began is kept, Enter and all, and does not run', () => {
  expect(type([5, 'echo of-seat\r'])).toEqual({ line: 'echo of-seat', seen: [false] });
  expect(type([5, 'one\r'], [90, 'two\r'])).toEqual({ line: 'one\ntwo', seen: [false, false] });
});

test('whoever types on without a pause is still at that line', () => {
  const keys = [...'echo slowly\r'].map((key, at) => [(at + 1) * 300, key] as const);
  expect(type(...keys).line).toBe('echo slowly');
});

test('what was typed wrongly is taken back', () => {
  expect(type([5, 'ehco'], [100, '\x7f\x7f\x7f'], [200, 'cho hi\r']).line).toBe('echo hi');
});

test('after a pause letters are kept until a key shows that the program was meant, and nothing before them is lost', () => {
  expect(type([5, 'ls -'], [700, 'l'])).toEqual({ line: 'ls -l', seen: [false, false] });
  expect(type([5, 'ls\r'], [1500, 'yes'], [1600, '\r'])).toEqual({ line: 'ls', seen: [false, true, true] });
  expect(type([500, 'nothing\r'])).toEqual({ line: '', seen: [true] });
});

test('what was taken is not there again', () => {
  const ahead = new TypedAhead();
  ahead.begin(0);
  ahead.take(bytes('once'), 1);
  expect([ahead.takeAll(), ahead.takeAll()]).toEqual(['once', '']);
});
