import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { ROOT, readTree } from '../rules/source.ts';
import { uncited, unknownIds } from './coverage.ts';
import { REQUIREMENTS } from './requirements.ts';

const promises = Object.values(REQUIREMENTS).flat();
const own = join('test', 'e2e', 'coverage.test.ts');
const files = readTree(ROOT, '{src,test}/**/*.test.ts').filter(({ path }) => path !== own);

describe('the promises', () => {
  test('are each cited by a test', () => expect(uncited(promises, files)).toEqual([]));
  test('are all that tests cite', () => expect(unknownIds(promises, files)).toEqual([]));
  test('have ids of their own', () => expect(new Set(promises.map(({ id }) => id)).size).toBe(promises.length));
});

describe('the gate', () => {
  const kept = { id: 'cli.kept', text: 'is tested' };
  const broken = { id: 'cli.broken', text: 'is not tested' };
  const file = {
    path: 'a.test.ts',
    text: "test.skipIf(!has('x'))('[cli.kept] [cli.unknown] works', () => {});\n// [cli.broken]",
  };

  test('fails on a promise that is only mentioned', () =>
    expect(uncited([kept, broken], [file])).toEqual(['[cli.broken] is not tested']));
  test('fails on an id no promise has', () => expect(unknownIds([kept, broken], [file])).toEqual(['cli.unknown']));
});
