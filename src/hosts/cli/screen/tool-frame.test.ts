import { expect, test } from 'bun:test';
import { withoutMiddle } from '../../../core/context/output-excerpt.ts';
import { textWidth } from '../../../core/terminal/graphemes.ts';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import { formatDiff } from './diff.ts';
import { formatCallEnd, formatCallRefused, formatCallStart } from './tool-frame.ts';

const WORDS = { ...PLAIN_THEME, words: true };
const RESULT = { text: 'one\ntwo\nthree\nfour\nfive\n', isError: false };
const CALL = {
  id: 'a',
  name: 'files.find',
  arguments: { pattern: '日本語'.repeat(20), deep: true },
  effect: 'read',
  origin: 'model',
} as const;

test('no row of a frame is wider than the window', () => {
  for (let columns = 16; columns < 60; columns += 3) {
    const view = { columns, theme: PLAIN_THEME };
    const rows = [
      ...formatCallStart(CALL, view),
      ...formatCallEnd({ text: `${'日本語 '.repeat(30)}\nb\nc\nd`, isError: true }, 65_000, view),
      ...formatCallRefused(CALL, 'the folder is outside of the work tree and nobody said yes', view),
    ];
    expect(rows.filter((row) => textWidth(row) > columns)).toEqual([]);
  }
});

test('a refusal is folded between its words', () => {
  expect(formatCallRefused(CALL, 'outside of the work tree', { columns: 24, theme: PLAIN_THEME })).toEqual([
    '  files.find: outside of',
    '  the work tree',
  ]);
});

test('the lines of a refusal stay lines, and none begins in the first columns', () => {
  expect(
    formatCallRefused(CALL, '"old" was not found\n  read the file\n', { columns: 40, theme: PLAIN_THEME }),
  ).toEqual(['  files.find: "old" was not found', '    read the file']);
});

test('a command in the shared shell ends with its status, its handle and its duration', () => {
  const record: CommandRecord = {
    line: 'make',
    driver: 'model',
    exit: 2,
    cwd: '/w',
    output: 'printed',
    bytes: 7,
    durationMs: 2000,
    handle: 7,
  };
  const { handle: _, ...lost } = { ...record, exit: null };
  const view = { columns: 40, theme: PLAIN_THEME };
  const end = (ended: CommandRecord) => formatCallEnd({ text: '', isError: false, record: ended }, 2000, view);
  expect([end(record), end(lost)]).toEqual([['  exit 2 · %7 · 2.0 s'], ['  exit ? · 2.0 s']]);
});

test('an output without its middle counts the lines that were printed', () => {
  const output = Array.from({ length: 9000 }, (_, at) => `line ${at + 1}\n`).join('');
  const whole = { line: 'seq', driver: 'model', exit: 0, cwd: '/w', bytes: output.length, durationMs: 1 } as const;
  const record = withoutMiddle({ ...whole, output, handle: 2, sandboxed: true }, { lines: 9000, errors: [] });
  expect(record.gap).toBeDefined();
  const rows = formatCallEnd({ text: '', isError: false, record }, 300, { columns: 60, theme: PLAIN_THEME });
  expect([rows[0], rows.at(-1)]).toEqual(['  exit 0 · 9000 lines · %2 · 0.3 s', '    … 8997 more']);
});

test('for a screen reader signs are words', () => {
  expect(formatCallEnd(RESULT, 300, { columns: 60, theme: WORDS })).toEqual([
    '  ok, 5 lines, 0.3 s',
    '    one',
    '    two',
    '    three',
    '    and 2 more lines',
  ]);
  expect(formatDiff('--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n', 60, WORDS).slice(3)).toEqual([
    ' same',
    'removed: old',
    'added: new',
  ]);
});
