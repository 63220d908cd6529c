import { expect, test } from 'bun:test';
import { Focus } from './notification.ts';

function openFocus(options: { readonly isAsked: boolean } = { isAsked: true }) {
  const written: string[] = [];
  const clock = { now: 1000 };
  const focus = new Focus({ write: (text) => written.push(text), now: () => clock.now, ...options });
  const take = (keys: string): string => Buffer.from(focus.take(Buffer.from(keys))).toString();
  return { focus, written, clock, take };
}

test('reports are asked for once and given up once', () => {
  const { focus, written } = openFocus();
  focus.unwatch();
  focus.watch();
  focus.watch();
  focus.unwatch();
  focus.unwatch();
  expect(written).toEqual(['\x1b[?1004h', '\x1b[?1004l']);
});

test('a terminal that would show the request is not asked', () => {
  const { focus, written } = openFocus({ isAsked: false });
  focus.watch();
  focus.unwatch();
  expect(written).toEqual([]);
});

test('reports are taken out of the keys and the last one counts', () => {
  const { focus, take } = openFocus();
  focus.watch();
  expect(focus.state).toBe('unknown');
  expect([take('a\x1b[Ob\x1b[A'), focus.state]).toEqual(['ab\x1b[A', 'out']);
  expect([take('\x1b[O\x1b[I'), focus.state]).toEqual(['', 'in']);
});

test('who presses a key is there', () => {
  const { focus, take } = openFocus();
  focus.watch();
  take('\x1b[O');
  expect([take('x'), focus.state]).toEqual(['x', 'in']);
});

test('a report that comes right after the end reaches no program, and later ones are its own', () => {
  const { focus, take, clock } = openFocus();
  focus.watch();
  focus.unwatch();
  clock.now += 50;
  expect([take('\x1b[I'), focus.state]).toEqual(['', 'unknown']);
  clock.now += 100;
  expect(take('\x1b[I')).toBe('\x1b[I');
});
