import { expect, test } from 'bun:test';
import { parseLinePattern } from './line-pattern.ts';

const LINES = ['GET /a 200', 'get /b 404', 'POST /a 500', 'cost 3*4', 'a|b'];

test.each([
  ['get', ['GET /a 200', 'get /b 404']],
  ['get * 4', ['get /b 404']],
  ['get.*404', ['get /b 404']],
  ['404|500', ['get /b 404', 'POST /a 500']],
  ['3\\*4', ['cost 3*4']],
  ['a\\|b', ['a|b']],
  ['200 * get', []],
])('"%s" finds its lines', (pattern, found) => {
  expect(LINES.filter(parseLinePattern(pattern))).toEqual(found);
});

test('a hostile pattern takes no longer than a plain one', () => {
  const matches = parseLinePattern(`${'a*'.repeat(10_000)}b`);
  expect(matches('a'.repeat(200_000))).toBe(false);
});
