import { expect, test } from 'bun:test';
import { parseSessionsArgs } from './sessions-command.ts';

const NOW = new Date('2026-11-21T12:00').getTime();
const HOUR = 3_600_000;
const PLAIN = { action: 'list', words: [], here: false, isJson: false, isJsonLines: false, yes: false, step: false };

test('without an action sessions are listed, with options in any order', () => {
  expect(
    [[], ['--here'], ['list', '--limit=3', '--output', 'json']].map((args) => parseSessionsArgs(args, NOW)),
  ).toMatchObject([PLAIN, { ...PLAIN, here: true }, { ...PLAIN, limit: 3, isJson: true }]);
});

test('words stand between options, and after two dashes all are words', () => {
  const { words, limit } = parseSessionsArgs(['search', 'one', '--limit', '2', 'two', '--', '--here'], NOW);
  expect([words, limit]).toEqual([['one', 'two', '--here'], 2]);
});

test('a time is so long ago, or a day where the user is', () => {
  const since = (value: string) => parseSessionsArgs(['--since', value], NOW).since;
  expect(['90m', '3h', '2d', '1w', '2026-11-20', '2026-11-20T10:00'].map(since)).toEqual([
    NOW - 1.5 * HOUR,
    NOW - 3 * HOUR,
    NOW - 48 * HOUR,
    NOW - 168 * HOUR,
    NOW - 36 * HOUR,
    NOW - 26 * HOUR,
  ]);
});

test('what cannot be understood is told', () => {
  const wrong = [
    ['lost'],
    ['--since', 'soon'],
    ['--since'],
    ['--limit', '1.5'],
    ['--speed', '-1'],
    ['--format', 'pdf'],
    ['--here=yes'],
  ];
  const told = wrong.map((args) => {
    try {
      return parseSessionsArgs(args, NOW);
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : thrown;
    }
  });
  expect(told).toEqual([
    'aish sessions takes list, show, search, export, rename, remove, replay, why, not lost',
    '--since takes a time such as 3h, 2d, 1w or 2026-11-01, not soon',
    '--since takes WHEN, not nothing',
    '--limit takes a whole number from 1, not 1.5',
    '--speed takes a number over 0, such as 4 or 0.5, not -1',
    '--format takes markdown or jsonl, not pdf',
    'unknown option --here',
  ]);
});
