import { expect, test } from 'bun:test';
import { formatApplied } from './format-applied.ts';

test('the model reads what was applied, what was left, and what could not be', () => {
  expect(formatApplied({ applied: [], left: [], conflicts: [] })).toBe(
    'rehearsed on a view of the project; it changed no file, so there was nothing to apply',
  );
  expect(formatApplied({ applied: ['a', 'b'], left: [], conflicts: [] })).toBe(
    'rehearsed on a view of the project, and applied to it whole: a, b',
  );
  expect(formatApplied({ applied: [], left: ['a'], conflicts: [{ path: 'b', why: 'it is busy' }] })).toBe(
    'rehearsed on a view of the project; applied to it: nothing; left out by the person: a; not applied: b (it is busy)',
  );
});

test('a long list is counted', () => {
  const applied = Array.from({ length: 42 }, (_, at) => `f${at}`);
  expect(formatApplied({ applied, left: [], conflicts: [] })).toEndWith('f39, and 2 more');
});
