import { expect, test } from 'bun:test';
import { importCycles, selfImports } from './cycles.ts';
import { plantedTree, ROOT, readSource } from './source.ts';

test('the source has no import cycle, not even of types', () => expect(importCycles(ROOT)).toEqual([]), 60_000);

test('no file of the source imports itself', () => expect(selfImports(readSource(ROOT))).toEqual([]));

test('a planted tree is caught in a cycle of types', () => {
  expect(importCycles(plantedTree('cycles'))).toEqual(['src/first.ts', 'src/second.ts']);
});

test('a planted tree is caught with a file that imports itself', () => {
  expect(selfImports(readSource(plantedTree('cycles')))).toEqual(['src/third.ts']);
});
