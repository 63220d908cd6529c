import { expect, test } from 'bun:test';
import { formatNoArgument, formatTakes, formatUnknownOption } from '../../../core/command-line/messages.ts';
import { toErrorFact } from '../../../protocol/error.ts';
import { parseCheckpointsArgs } from './checkpoints-command.ts';
import { PRUNE_OPTIONS } from './messages.ts';

function messageOf(...args: readonly string[]): string {
  try {
    return JSON.stringify(parseCheckpointsArgs(args));
  } catch (thrown) {
    return toErrorFact(thrown).message;
  }
}

test('without words it lists', () => {
  expect(parseCheckpointsArgs([])).toMatchObject({
    action: 'list',
    all: false,
    apart: false,
    dryRun: false,
    isJson: false,
  });
  expect(parseCheckpointsArgs(['--output', 'json']).isJson).toBe(true);
});

test('a prune takes a number, an age, and may only tell', () => {
  expect(parseCheckpointsArgs(['prune', '--keep=5', '--older-than', '7d', '--dry-run', '--all'])).toEqual({
    action: 'prune',
    all: true,
    apart: false,
    keep: 5,
    olderThan: 604_800_000,
    dryRun: true,
    isJson: false,
  });
});

test('what is not understood is said', () => {
  expect(messageOf('drop')).toBe(formatTakes('aish checkpoints', 'list, usage, prune', 'drop'));
  expect(messageOf('prune', '--keep', '0')).toBe(formatTakes('--keep', 'a whole number from 1', '0'));
  expect(messageOf('prune', '--older-than', '7')).toBe(
    formatTakes('--older-than', 'an age such as 12h, 7d or 2w', '7'),
  );
  expect(messageOf('list', '--keep', '3')).toBe(PRUNE_OPTIONS);
  expect(messageOf('usage', '--what', 'x')).toBe(formatUnknownOption('--what'));
  expect(messageOf('usage', 'here')).toBe(formatNoArgument('checkpoints', 'here'));
});
