import { expect, test } from 'bun:test';
import { toErrorFact } from '../../../protocol/error.ts';
import { parseCheckpointsArgs } from './checkpoints-command.ts';

function messageOf(...args: readonly string[]): string {
  try {
    return JSON.stringify(parseCheckpointsArgs(args));
  } catch (thrown) {
    return toErrorFact(thrown).message;
  }
}

test('without words it lists', () => {
  expect(parseCheckpointsArgs([])).toEqual({ action: 'list', all: false, apart: false, dryRun: false, output: 'text' });
  expect(parseCheckpointsArgs(['--output', 'json']).output).toBe('json');
});

test('a prune takes a number, an age, and may only tell', () => {
  expect(parseCheckpointsArgs(['prune', '--keep=5', '--older-than', '7d', '--dry-run', '--all'])).toEqual({
    action: 'prune',
    all: true,
    apart: false,
    keep: 5,
    olderThan: 604_800_000,
    dryRun: true,
    output: 'text',
  });
});

test('what is not understood is said', () => {
  expect(messageOf('drop')).toBe('aish checkpoints takes list | usage | prune, not drop');
  expect(messageOf('prune', '--keep', '0')).toBe('--keep takes a whole number from 1, not 0');
  expect(messageOf('prune', '--older-than', '7')).toBe('--older-than takes an age such as 12h, 7d or 2w, not 7');
  expect(messageOf('list', '--keep', '3')).toBe('--keep, --older-than and --dry-run go with aish checkpoints prune');
  expect(messageOf('usage', '--what', 'x')).toBe('unknown option --what');
  expect(messageOf('usage', 'here')).toBe('aish checkpoints takes no here');
});
