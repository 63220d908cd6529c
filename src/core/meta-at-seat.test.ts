import { expect, test } from 'bun:test';
import { atSeat, toLook } from './meta-at-seat.ts';
import { parseMetaCommand } from './meta-command.ts';

function parse(line: string) {
  const parsed = parseMetaCommand(line);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.command;
}

/** How each of these lines is done at a seat. */
function uses(lines: readonly string[]): readonly unknown[] {
  return [...new Set(lines.map((line) => atSeat(parse(line))))];
}

test('what only looks is answered to a seat by the owner', () => {
  const lines = [
    ':checkpoints',
    ':checkpoints usage',
    ':diff c1',
    ':diff %1 %2',
    ':output %3',
    ':why',
    ':context',
    ':sessions docker',
    ':config',
    ':models',
    ':model',
    ':approve',
    ':approve why 2',
    ':approve taint',
    ':approve save 1',
    ':sandbox',
    ':blast rm -rf x',
    ':mcp list',
    ':mcp tools',
    ':mcp tool a.b',
  ];
  expect(uses(lines)).toEqual(['look']);
  expect(lines.map((line) => toLook(parse(line)))).toEqual(lines.map(parse) as never);
});

test('a form that changes something is no look, whatever its command is called', () => {
  const lines = [
    ':model fast',
    ':checkpoints prune',
    ':approve all',
    ':approve git log',
    ':approve vouch',
    ':sandbox off',
    ':mcp approve a',
  ];
  expect(uses([...lines, ':mcp connect http://127.0.0.1:1', ':private ls', ':new', ':resume'])).toEqual([null]);
  expect(lines.map((line) => toLook(parse(line)))).toEqual(lines.map(() => null));
});

test('requests go to the session, and what is about the terminal alone stays at the seat', () => {
  expect(uses([':undo', ':redo 2', ':halt', ':compact', ':rehearse make', ':name x'])).toEqual(['request']);
  expect(uses([':history', ':history delete 3', ':theme dark', ':help', ':quit'])).toEqual(['own']);
  expect(toLook(parse(':undo'))).toBeNull();
});
