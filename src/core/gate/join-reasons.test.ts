import { expect, test } from 'bun:test';
import { joinReasons } from './join-reasons.ts';

test('reasons of one kind are told in one phrase', () => {
  expect(joinReasons(['deletes or overwrites: build/f1', 'deletes or overwrites: src/a.ts'])).toBe(
    'deletes or overwrites: build/f1, src/a.ts',
  );
});

test('reasons of different kinds are told in the order they were found, bare ones as they are', () => {
  expect(joinReasons(['opens a connection', 'deletes or overwrites: a', 'needs rights beyond yours'])).toBe(
    'opens a connection; deletes or overwrites: a; needs rights beyond yours',
  );
});

test('no reason is no word', () => {
  expect(joinReasons([])).toBe('');
});
