import { expect, test } from 'bun:test';
import { unrepeatable } from './repeatable.ts';
import { plantedTree, ROOT, readTree } from './source.ts';

test('no test depends on dice, on durations or on events of folders', () => {
  expect(
    unrepeatable(readTree(ROOT, '{src,test/e2e,test/fidelity,test/impact,test/injection,scripts}/**/*.test.ts')),
  ).toEqual([]);
});

test('a planted tree is caught with each of them', () => {
  expect(unrepeatable(readTree(plantedTree('repeatable'), '**/*.ts'))).toEqual([
    'src/core/dice.ts uses Math.random: draw from SEED of test/support/seed.ts',
    'src/core/dice.ts uses performance.now: wait with test/support/until.ts, measure in bench',
    'src/core/dice.ts uses fast-check: import test/support/properties.ts',
    'src/core/dice.ts uses watch of node:fs: wait with test/support/until.ts',
  ]);
});
