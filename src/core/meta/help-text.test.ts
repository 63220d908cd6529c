import { expect, test } from 'bun:test';
import { formatHelp, keyParts, metaCommandParts } from './help-text.ts';
import { META_COMMANDS } from './meta-table.ts';

test('help lists every command once, in groups, then what may stand in a line and the keys to know first', () => {
  const rows = metaCommandParts().flatMap((part) => part.rows.map(([, summary]) => summary));
  expect([...rows].sort()).toEqual(META_COMMANDS.map(({ summary }) => summary).sort());
  const help = formatHelp() ?? '';
  expect(help.split('\n').filter((line) => /^\S/.test(line))).toEqual([
    'The model',
    'Autonomous runs',
    'Sessions and memory',
    'Changes',
    'Commands and their output',
    'MCP servers',
    'aish',
    'In a line',
    'Keys (:help keys lists them all)',
  ]);
});

test('help on one command shows its usage and its detail', () => {
  expect(formatHelp(':diff', 100)).toMatchInlineSnapshot(`
    ":diff [--step] [id] [path…] | %N %N  show changes since a checkpoint, or between two outputs
    Without an id, :diff starts at the newest checkpoint. --step shows only the changes of that
    checkpoint, and paths narrow the diff. A long diff opens in $PAGER, or in less. :diff %12 %15
    compares the output of two commands."
  `);
  expect(formatHelp('nothing')).toBeNull();
});

test('no line of the help is wider than the window', () => {
  for (const columns of [40, 60, 80, 200]) {
    const lines = [formatHelp(undefined, columns), formatHelp('keys', columns), formatHelp('undo', columns)].join('\n').split('\n');
    expect(lines.filter((line) => line.length > Math.max(columns, 62))).toEqual([]);
  }
});

test(':help keys lists all keys as a keyboard shows them', () => {
  const help = formatHelp('keys', 200) ?? '';
  expect(keyParts().flatMap(({ rows }) => rows.filter(([keys]) => !help.includes(keys)))).toEqual([]);
  expect(help).toContain('Ctrl-X Ctrl-E');
  expect(help).toContain('Page Up, Page Down');
});
