import { expect, test } from 'bun:test';
import { formatHelp, keyParts, metaCommandParts } from './help-text.ts';
import { META_COMMANDS } from './meta-table.ts';

test('help lists every command once, in groups, then what may stand in a line and the keys to know first', () => {
  const rows = metaCommandParts().flatMap((part) => part.rows.map(([, summary]) => summary));
  expect([...rows].sort()).toEqual(META_COMMANDS.map(({ summary }) => summary).sort());
  const help = formatHelp() ?? '';
  expect(help.split('\n').filter((line) => /^\S/.test(line))).toEqual([
    'The model',
    'What was changed',
    'Commands and their output',
    'MCP servers',
    'aish',
    'In a line',
    'Keys (:help keys lists them all)',
  ]);
});

test('help on one command shows its usage and its detail', () => {
  expect(formatHelp(':diff', 200)).toBe(
    ':diff [--step] [id] [path…] | %N %N  show what changed since a step, or between two outputs\n' +
      'Without an id it is what changed since the newest step began; with --step what the step alone ' +
      'changed. Paths narrow it down. What does not fit the screen opens in $PAGER, else less. :diff %12 ' +
      '%15\n' +
      'compares what two commands printed.',
  );
  expect(formatHelp('nothing')).toBeNull();
});

test('no line of the help is wider than the window', () => {
  for (const columns of [40, 60, 80, 200]) {
    const lines = [formatHelp(undefined, columns), formatHelp('keys', columns), formatHelp('undo', columns)].join('\n').split('\n');
    expect(lines.filter((line) => line.length > Math.max(columns, 62))).toEqual([]);
  }
});

test('all keys are told by :help keys, as they are written on a keyboard', () => {
  const help = formatHelp('keys', 200) ?? '';
  expect(keyParts().flatMap(({ rows }) => rows.filter(([keys]) => !help.includes(keys)))).toEqual([]);
  expect(help).toContain('Ctrl-X Ctrl-E');
  expect(help).toContain('Page Up, Page Down');
});
