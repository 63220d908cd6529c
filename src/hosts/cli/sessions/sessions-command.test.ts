import { expect, test } from 'bun:test';
import { parseSince } from './sessions-command.ts';

const NOW = new Date('2026-11-21T12:00').getTime();
const HOUR = 3_600_000;

test('a time is so long ago, or a day where the user is', () => {
  const since = (value: string) => parseSince(value, NOW);
  expect(['90m', '3h', '2d', '1w', '2026-11-20', '2026-11-20T10:00'].map(since)).toEqual([
    NOW - 1.5 * HOUR,
    NOW - 3 * HOUR,
    NOW - 48 * HOUR,
    NOW - 168 * HOUR,
    NOW - 36 * HOUR,
    NOW - 26 * HOUR,
  ]);
  expect(() => since('soon')).toThrow('--since takes a time such as 3h, 2d, 1w or 2026-11-01, not soon');
});
