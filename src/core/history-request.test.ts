import { expect, test } from 'bun:test';
import { parseHistoryRequest } from './history-request.ts';

const ALL = { action: 'list', words: [], most: null, isHere: false, isFailed: false, isModel: false } as const;

test('words and options say what is listed', () => {
  expect([
    parseHistoryRequest([]),
    parseHistoryRequest(['git', '-n', '5', 'push', '--here']),
    parseHistoryRequest(['-n20', '--failed', '--ai']),
  ]).toEqual([
    ALL,
    { ...ALL, words: ['git', 'push'], most: 5, isHere: true },
    { ...ALL, most: 20, isFailed: true, isModel: true },
  ]);
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
