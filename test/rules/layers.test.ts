import { describe, expect, test } from 'bun:test';
import { hostOnlyCalls, impurities, missingImports, moduleState, upwardImports } from './layers.ts';
import { plantedTree, ROOT, readSource } from './source.ts';

const source = readSource(ROOT);
const planted = readSource(plantedTree('layers'));

describe('the source', () => {
  test('has files under the rules', () => expect(source.length).toBeGreaterThan(10));
  test('imports downward only, and no host imports another', () => expect(upwardImports(source)).toEqual([]));
  test('imports only files that exist', () => expect(missingImports(ROOT, source)).toEqual([]));
  test('is pure in protocol and core', () => expect(impurities(source)).toEqual([]));
  test('keeps no state at module level', () => expect(moduleState(source)).toEqual([]));
  test('exits and prints only in hosts', () => expect(hostOnlyCalls(source)).toEqual([]));
});

describe('a planted tree', () => {
  test('is caught importing upward, even a type, and from host to host', () => {
    expect(upwardImports(planted)).toEqual([
      'src/core/upward.ts imports src/engine/session.ts, which lies on a higher floor',
      'src/hosts/cli/sideways.ts imports src/hosts/daemon/server.ts, which is another host',
      'src/protocol/upward-type.ts imports src/core/upward.ts, which lies on a higher floor',
    ]);
  });

  test('is caught requiring a file that has moved', () => {
    expect(missingImports(plantedTree('layers'), planted)).toEqual([
      'src/hosts/cli/sideways.ts imports src/hosts/cli/moved.ts, which does not exist',
    ]);
  });

  test('is caught reading the clock and throwing dice in core', () => {
    expect(impurities(planted)).toEqual([
      'src/core/impure.ts uses the clock (Date)',
      'src/core/impure.ts uses randomness (Math.random)',
      'src/core/impure.ts uses its own place (import.meta)',
    ]);
  });

  test('is caught keeping state at module level', () => {
    expect(moduleState(planted)).toEqual([
      'src/engine/session.ts keeps module-level state in counter',
      'src/engine/session.ts keeps module-level state in seen',
      'src/engine/session.ts keeps module-level state in pending',
    ]);
  });

  test('is caught exiting and printing below the hosts', () => {
    expect(hostOnlyCalls(planted)).toEqual([
      'src/engine/session.ts calls console.log; only hosts may',
      'src/engine/session.ts calls process.exit; only hosts may',
    ]);
  });
});
