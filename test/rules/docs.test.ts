import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { mappedFiles } from '../../scripts/generate-map.ts';
import { brokenLinks, leftovers, machinePaths, missingPaths, staleMap } from './docs.ts';
import { plantedTree, ROOT, readTree, type SourceFile } from './source.ts';

const documents = [...readTree(ROOT, '*.md'), ...readTree(ROOT, 'docs/**/*.md')];
const tree = plantedTree('docs');
const planted = readTree(tree, '**/*.{md,ts}');

/** Text files that git tracks, but for recorded samples and the planted violations. */
function trackedFiles(): SourceFile[] {
  const listed = Bun.spawnSync(['git', 'ls-files', '-z'], { cwd: ROOT }).stdout.toString().split('\0');
  return listed
    .filter(
      (path) =>
        path !== '' &&
        !path.startsWith('test/rules/') &&
        !path.startsWith('test/fixtures/') &&
        existsSync(join(ROOT, path)),
    )
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

describe('the documents', () => {
  test('name only paths that exist', () => {
    // A glob that matches nothing would pass.
    expect(documents.filter(({ path }) => path === 'README.md' || path === 'docs/safety.md')).toHaveLength(2);
    expect(missingPaths(documents, (path) => existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('link only to pages and headings that exist', () => {
    expect(brokenLinks(documents, (path) => existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('map every file as the files describe themselves', () => {
    const guide = { path: 'docs/files.md', text: readFileSync(join(ROOT, 'docs/files.md'), 'utf8') };
    expect(staleMap(guide, mappedFiles(ROOT))).toEqual([]);
  });

  test('describe every source file', () => {
    const undescribed = readFileSync(join(ROOT, 'docs/files.md'), 'utf8')
      .split('\n')
      .filter((line) => /^- `[\w.-]+`$/.test(line));
    expect(undescribed).toEqual([]);
  });
});

describe('the tracked files', () => {
  test('do not know where this checkout lies', () => {
    const beside = join(dirname(ROOT), 'shared');
    expect(machinePaths(trackedFiles(), [`${ROOT}/`, `${beside}/`, '../shared/'])).toEqual([]);
  });

  test('leave nothing to do', () => expect(leftovers(trackedFiles())).toEqual([]));
});

describe('a planted tree', () => {
  test('is caught naming a path that does not exist', () => {
    expect(missingPaths(planted, (path) => existsSync(join(tree, path)))).toEqual([
      'GUIDE.md names src/core/gone.ts, which does not exist',
    ]);
  });

  test('is caught linking to a page or a heading that does not exist', () => {
    expect(brokenLinks(planted, (path) => existsSync(join(tree, path)))).toEqual([
      'GUIDE.md links to seats.md, which does not exist',
      'GUIDE.md links to GUIDE.md#the-old-name, a heading that does not exist',
    ]);
  });

  test('is caught with a stale map', () => {
    const guide = planted.filter(({ path }) => path === 'GUIDE.md');
    expect(guide.flatMap((one) => staleMap(one, mappedFiles(tree)))).toEqual([
      'GUIDE.md has a stale line (npm run map): - `router.ts` Says what it said last year.',
      'GUIDE.md lacks a line (npm run map): - `router.ts` Tells a command from a question.',
    ]);
  });

  test('is caught with a path of the machine and something left to do', () => {
    expect(machinePaths(planted, ['/home/somebody/aish'])).toEqual(['src/core/router.ts holds /home/somebody/aish']);
    expect(leftovers(planted)).toEqual(['src/core/router.ts still says TODO']);
  });
});
