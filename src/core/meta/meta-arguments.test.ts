import { expect, test } from 'bun:test';
import { parseAbbrRequest, parseApproveRequest, parseDiffRequest, parseHistoryRequest, parseUndoRequest } from './meta-arguments.ts';

const ALL = { action: 'list', words: [], most: null, isHere: false, isFailed: false, isModel: false } as const;

test('words and options say what is listed', () => {
  expect([
    parseHistoryRequest([]),
    parseHistoryRequest(['git', '-n', '5', 'push', '--here']),
    parseHistoryRequest(['-n20', '--failed', '--ai']),
  ]).toEqual([ALL, { ...ALL, words: ['git', 'push'], most: 5, isHere: true }, { ...ALL, most: 20, isFailed: true, isModel: true }]);
});

test('lines to delete are named by number, by a range or by what they hold', () => {
  const targets = [['12'], ['12-15'], ['hunter2'], ['two', 'words'], ['--all', '12']].map((words) =>
    parseHistoryRequest(['delete', ...words]),
  );
  expect(targets).toEqual([
    { action: 'delete', target: { type: 'numbers', from: 12, to: 12 } },
    { action: 'delete', target: { type: 'numbers', from: 12, to: 15 } },
    { action: 'delete', target: { type: 'text', text: 'hunter2', isSure: false } },
    { action: 'delete', target: { type: 'text', text: 'two words', isSure: false } },
    { action: 'delete', target: { type: 'text', text: '12', isSure: true } },
  ]);
});

test('clearing wants a yes, importing may name a source', () => {
  expect([['clear'], ['clear', 'yes'], ['import'], ['import', 'zsh']].map(parseHistoryRequest)).toEqual([
    { action: 'clear', isSure: false },
    { action: 'clear', isSure: true },
    { action: 'import' },
    { action: 'import', source: 'zsh' },
  ]);
});

test('what is not known is not guessed', () => {
  const wrong = [['delete'], ['delete', '--all'], ['delete', '9-3'], ['-n'], ['-n', 'x'], ['--her']];
  expect(wrong.map(parseHistoryRequest)).toEqual(wrong.map(() => null));
});

test.each([
  ['', { type: 'list' }],
  ['read-only', { type: 'mode', mode: 'read-only' }],
  ['why', { type: 'why', back: 1 }],
  ['why 3', { type: 'why', back: 3 }],
  ['why not', null],
  ['revoke', null],
  ['revoke git log', { type: 'revoke', rule: 'git log' }],
  ['save 2', { type: 'save', rule: '2' }],
  ['git log', { type: 'add', prefix: 'git log' }],
  ['all targets', { type: 'add', prefix: 'all targets' }],
] as const)(':approve %s is understood', (text, request) => {
  expect(parseApproveRequest(text)).toEqual(request);
});

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

test(':abbr lists, shows, adds and removes', () => {
  expect(parseAbbrRequest([])).toEqual({ action: 'list' });
  expect(parseAbbrRequest(['gco'])).toEqual({ action: 'show', name: 'gco' });
  expect(parseAbbrRequest(['gco', 'git', 'checkout'])).toEqual({ action: 'add', name: 'gco', text: 'git checkout' });
  expect(parseAbbrRequest(['-d', 'gco'])).toEqual({ action: 'remove', name: 'gco' });
  for (const words of [['-d'], ['-d', 'a', 'b'], ['a b', 'c'], ['$x', 'c'], ['gco', ' ']]) expect(parseAbbrRequest(words)).toBeNull();
});
