import { expect, test } from 'bun:test';
import { describeFile, withMap } from './generate-map.ts';

test('a file is described by the export it is named after', () => {
  const text =
    '/** What is read. */\nexport interface Source {}\n\n/** Reads a name. It never throws. */\nexport function parseToolName(): void {}\n';
  expect(describeFile({ path: 'src/core/tool-name.ts', text })).toBe('Reads a name.');
});

test('a comment on top that belongs to no declaration describes the file', () => {
  const text = "// Runs everything.\nimport { a } from './a.ts';\n\n/** Adds. */\nfunction add(): void {}\n";
  expect(describeFile({ path: 'scripts/test.ts', text })).toBe('Runs everything.');
});

test('a script is described by its first comment', () => {
  expect(describeFile({ path: 'bin/aish', text: '#!/bin/sh\n# Starts aish. Quickly.\nself=$0\n' })).toBe(
    'Starts aish.',
  );
});

test('a document without a place for the map is refused', () => {
  expect(() => withMap('# Guide\n', [])).toThrow('no place for the map');
});
