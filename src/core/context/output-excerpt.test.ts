import { expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { ErrorCollector, findErrors, formatExcerpt, withoutMiddle } from './output-excerpt.ts';

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');

function record(output: string, more: Partial<CommandRecord> = {}): CommandRecord {
  return { line: 'make', driver: 'user', exit: 1, cwd: '/', output, bytes: output.length, durationMs: 1, ...more };
}

test('an output that fits is shown whole', () => {
  expect(formatExcerpt(record('one\ntwo\n'), 20)).toBe('one\ntwo');
});

test('of a long output head and tail are shown, with what is missing and where it is', () => {
  expect(formatExcerpt(record(lines(1, 20), { handle: 12 }), 60)).toBe(
    [
      ...['line 1', 'line 2', 'line 3', 'line 4', 'line 5'],
      '[… 12 lines, 93 characters left out; %12 has all …]',
      ...['line 18', 'line 19', 'line 20'],
    ].join('\n'),
  );
});

test('a long single line is cut in its middle', () => {
  expect(formatExcerpt(record('x'.repeat(200)), 40)).toBe(`${'x'.repeat(24)}\n[… 1 line, 160 characters left out …]\n${'x'.repeat(16)}`);
});

test('lines of the middle that look like errors are shown by their number', () => {
  const output = `${lines(1, 30)}src/a.c:3: Error: no such thing\n${lines(32, 60)}make: cannot go on\n${lines(62, 90)}`;
  expect(
    formatExcerpt(record(output, { handle: 3 }), 300)
      .split('\n')
      .slice(15, -9),
  ).toEqual([
    'line 16',
    'line 17',
    'line 18',
    '[… 61 lines, 524 characters left out; %3 has all; these lines look like errors:]',
    '31: src/a.c:3: Error: no such thing',
    '61: make: cannot go on',
    '[…]',
    'line 80',
    'line 81',
  ]);
});

test('a record whose middle is kept elsewhere still tells the right numbers', () => {
  const output = `${lines(1, 5000)}fatal: 5001\n${lines(5002, 9000)}`;
  const shown = record(output.slice(0, 40_000) + output.slice(-40_000), { bytes: output.length, handle: 7 });
  const kept = withoutMiddle(shown, { lines: 9000, errors: [{ line: 5001, text: 'fatal: 5001' }] });
  expect(kept.output.length).toBeLessThan(17_000);
  expect(formatExcerpt(kept, 100)).toBe(
    [
      ...['line 1', 'line 2', 'line 3', 'line 4', 'line 5', 'line 6'],
      '[… 8991 lines, 88825 bytes left out; %7 has all; these lines look like errors:]',
      '5001: fatal: 5001',
      '[…]',
      ...['line 8998', 'line 8999', 'line 9000'],
    ].join('\n'),
  );
});

test('only the first and the last of many errors are collected', () => {
  const collector = new ErrorCollector();
  for (let line = 1; line <= 1000; line += 1) collector.add(`error ${line}`, line);
  const found = collector.errors();
  expect([found.length, found[0]?.line, found[23]?.line, found[24]?.line, found.at(-1)?.line]).toEqual([40, 1, 24, 985, 1000]);
});

test('words that tell of trouble are found in any letter case', () => {
  const text = 'ok\nPermission denied\nfoo: command not found\nfine\nWARNING: old';
  expect(findErrors(text, 10).map(({ line }) => line)).toEqual([11, 12, 14]);
});

test('an excerpt is bounded, whatever the output', () => {
  const piece = fc.oneof(fc.constantFrom('error: x', '\n', 'panic', 'line\n'), fc.string({ unit: 'grapheme' }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 200 }), fc.integer({ min: 10, max: 2000 }), (pieces, budget) => {
      const excerpt = formatExcerpt(record(pieces.join('')), budget);
      expect(excerpt.length).toBeLessThanOrEqual(budget + 160);
    }),
  );
});
