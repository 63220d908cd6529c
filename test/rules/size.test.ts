import { describe, expect, test } from 'bun:test';
import { type Exception, longFiles, longFunctions, longLines, staleExceptions } from './size.ts';
import { plantedTree, ROOT, readTree } from './source.ts';

/** Files that may break the limits, each with its reason. Keep it short. */
const EXCEPTIONS: readonly Exception[] = [];

const FOLDERS = ['src', 'scripts', 'bench'];
const files = readTree(ROOT, '{src,scripts,bench,test}/**/*.{ts,tsx}');
const planted = plantedTree('size');
/** Read once, before any test is timed: a linter goes through all of the sources. */
const functions = longFunctions(ROOT, FOLDERS, []);

describe('the project', () => {
  test('has no file over the limit', () => expect(longFiles(files, EXCEPTIONS)).toEqual([]));
  test('has no line over the limit in its core', () => expect(longLines(files)).toEqual([]));
  test('has no function over the limit', () =>
    expect(functions.filter((one) => !EXCEPTIONS.some(({ path }) => one.startsWith(`${path}:`)))).toEqual([]));
  test('needs each exception it makes', () => {
    expect(staleExceptions(EXCEPTIONS, [...longFiles(files, []), ...functions])).toEqual([]);
  });
});

describe('a planted tree', () => {
  test('is caught with a long function', () => {
    expect(longFunctions(planted, ['src'], [])).toEqual([
      'src/long-function.ts:1 This function has too many lines (62). Maximum allowed is 60.',
    ]);
  });

  test('is caught with a long file, source and test', () => {
    const long = [
      { path: 'src/long.ts', text: '\n'.repeat(401) },
      { path: 'src/long.test.ts', text: '\n'.repeat(601) },
      { path: 'src/fitting.ts', text: '\n'.repeat(400) },
    ];
    expect(longFiles(long, [])).toEqual([
      'src/long.ts has 401 lines; 400 is the most',
      'src/long.test.ts has 601 lines; 600 is the most',
    ]);
  });

  test('is caught with a long line in the core, and nowhere else', () => {
    const text = `const a = 1;\n${'x'.repeat(141)}\n${'x'.repeat(140)}`;
    expect(
      longLines([
        { path: 'src/core/a.ts', text },
        { path: 'src/hosts/a.ts', text },
      ]),
    ).toEqual(['src/core/a.ts:2 has 141 columns']);
  });

  test('is spared where an exception names the file', () => {
    expect(longFunctions(planted, ['src'], [{ path: 'src/long-function.ts', reason: 'a table of steps' }])).toEqual([]);
  });

  test('is caught with an exception nothing needs', () => {
    expect(staleExceptions([{ path: 'src/short.ts', reason: 'was long once' }], ['src/long.ts has 401 lines'])).toEqual(
      ['src/short.ts'],
    );
  });
});
