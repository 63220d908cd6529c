import { expect, test } from 'bun:test';
import { parseDiffRequest, parseUndoRequest } from './undo-request.ts';

test('behind two dashes every word is a path, and before them none that begins with one', () => {
  expect([
    parseUndoRequest(['c3', '--', '--keep', 'c4']),
    parseUndoRequest(['--', '3']),
    parseUndoRequest(['a', '--', '-b']),
    parseUndoRequest(['-1']),
    parseUndoRequest(['c3', '--what']),
  ]).toEqual([{ id: 'c3', paths: ['--keep', 'c4'] }, { paths: ['3'] }, { paths: ['a', '-b'] }, null, null]);
});

test('a diff takes its words in the same way', () => {
  expect([parseDiffRequest(['--step', 'c1', '--', '--step']), parseDiffRequest(['--', 'c1'])]).toEqual([
    { id: 'c1', paths: ['--step'], isStep: true },
    { paths: ['c1'] },
  ]);
});
