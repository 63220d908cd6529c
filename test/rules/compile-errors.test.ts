import { expect, test } from 'bun:test';
import { compileErrors } from './compile-errors.ts';
import { plantedTree } from './source.ts';

const planted = plantedTree('compile');

test('a layer does not compile when it imports from a higher one, even a type', () => {
  const errors = compileErrors(planted, 'adapters');
  expect(errors.filter((error) => error.endsWith('TS6307'))).toEqual(['src/adapters/upward.ts:1 TS6307']);
});

test('core does not compile with Node, the network, timers, the console or signals', () => {
  const errors = compileErrors(planted, 'core').filter((error) => error.startsWith('src/core/impure.ts'));
  expect(errors.map((error) => Number(/:(\d+)/.exec(error)?.[1]))).toEqual([1, 4, 5, 6, 7, 8]);
});

test('an event that is not handled does not compile', () => {
  expect(compileErrors(planted, 'protocol')).toEqual(['src/protocol/unhandled.ts:3 TS2366']);
});
