import { expect, test } from 'bun:test';
import { toSafeJson } from './json.ts';

test('JSON for a terminal has no hidden character in it, and the same value', () => {
  const value = { a: '\u001b[1m\u009b\u202e\u200b\u2028\ufeff\u{e0041}\u{e01ef}', emoji: '👩‍👧' };
  const json = toSafeJson(value);
  expect(json.replace('👩‍👧', '')).toMatch(/^[ -~]+$/);
  expect(JSON.parse(json)).toEqual(value);
});
