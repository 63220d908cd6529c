import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Exception, folderCycles, fragments, looseFiles, missingFiles } from './rooms.ts';
import { plantedTree, ROOT, readSource } from './source.ts';

/** Folders that have rooms in them and nothing else. */
const HOUSES = ['src/core', 'src/engine', 'src/hosts/cli'];

/** Folders whose imports still go in a ring: take a prefix off this list once none does. */
const OPEN: readonly string[] = [];

/** Short files that one other imports and that stay, each with its reason. */
const EXCEPTIONS: readonly Exception[] = [];

const files = readSource(ROOT);

describe('the project', () => {
  test('has no folders that import one another in a ring', () => expect(folderCycles(files, OPEN)).toEqual([]));
  test('has no file beside its rooms', () => expect(looseFiles(files, HOUSES)).toEqual([]));
  test('loads no file that does not exist', () => {
    expect(missingFiles(files, (path) => existsSync(join(ROOT, path)))).toEqual([]);
  });
  test('has no fragment of another file', () => expect(fragments(files, EXCEPTIONS)).toEqual([]));
  test('needs each exception it makes', () => {
    const rings = folderCycles(files);
    expect(OPEN.filter((prefix) => !rings.some((ring) => ring.includes(prefix)))).toEqual([]);
    const all = fragments(files, []);
    expect(EXCEPTIONS.filter(({ path }) => !all.some((found) => found.startsWith(`${path} `)))).toEqual([]);
  });
});

describe('a planted tree', () => {
  const planted = readSource(plantedTree('rooms'));

  test('is caught with folders in a ring, of types too', () => {
    expect(folderCycles(planted)).toEqual(['src/core/lower src/core/upper']);
    expect(folderCycles(planted, ['src/core/upper/'])).toEqual([]);
  });

  test('is caught with a file beside its rooms', () => {
    expect(looseFiles(planted, HOUSES)).toEqual(['src/core/loose.ts']);
  });

  test('is caught with a file it loads and does not have, by require too', () => {
    const text = "import { a } from './a.ts';\nconst { b }: typeof import('./a.ts') = require('./b.ts');\n";
    expect(missingFiles([{ path: 'src/core/x.ts', text }], (path) => path === 'src/core/a.ts')).toEqual([
      'src/core/x.ts loads src/core/b.ts, which does not exist',
    ]);
  });

  test('is caught with fragments, but not with what loads at its first use or has a reason', () => {
    const reason = 'a word of its own';
    expect(fragments(planted, [{ path: 'src/core/upper/scale.ts', reason }])).toEqual([
      'src/core/lower/lower.ts belongs to src/core/upper/upper.ts',
      'src/core/upper/upper.ts belongs to src/core/loose.ts',
    ]);
  });
});
