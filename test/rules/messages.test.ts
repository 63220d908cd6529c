import { expect, test } from 'bun:test';
import { FOREIGN_MESSAGES, textDecisions } from './messages.ts';
import { plantedTree, ROOT, readSource } from './source.ts';

const source = readSource(ROOT);

test('nothing is decided by the text of a message', () => expect(textDecisions(source)).toEqual([]));

test('every file that reads the messages of other programs is there', () => {
  const paths = new Set(source.map(({ path }) => path));
  expect(Object.keys(FOREIGN_MESSAGES).filter((path) => !paths.has(path))).toEqual([]);
});

test('a planted tree is caught in each way to decide by the text of a message', () => {
  const found = textDecisions(readSource(plantedTree('messages')));
  expect(found.map((line) => Number(/:(\d+) /.exec(line)?.[1]))).toEqual([9, 10, 11, 12, 13, 14]);
});
