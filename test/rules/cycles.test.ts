import { expect, test } from 'bun:test';
import { importCycles } from './cycles.ts';
import { plantedTree, ROOT } from './source.ts';

test('the source has no import cycle, not even of types', () => expect(importCycles(ROOT)).toEqual([]), 60_000);

test('a planted tree is caught in a cycle of types', () => {
  expect(importCycles(plantedTree('cycles'))).toEqual(['src/first.ts', 'src/second.ts']);
});
