import { expect, test } from 'bun:test';
import { plantedTree, ROOT, readSource, readTree, type SourceFile } from './source.ts';
import { EXCEPTED_WORDS, wordFaults } from './words.ts';

const files = filesIn(ROOT);

/** The code, and every page but the changelog. */
function filesIn(root: string): SourceFile[] {
  const pages = [...readTree(root, '*.md'), ...readTree(root, 'docs/**/*.md')];
  return [...readSource(root), ...pages.filter(({ path }) => path !== 'CHANGELOG.md')];
}

test('no name, text, comment or page has a word of our own', () => expect(wordFaults(files)).toEqual([]));

test('every file that needs such words is there and has them', () => {
  const texts = new Map(files.map(({ path, text }) => [path, text.toLowerCase()]));
  const needless = Object.entries(EXCEPTED_WORDS).flatMap(([path, { words }]) =>
    words.filter((word) => texts.get(path)?.includes(word) !== true).map((word) => `${path} ${word}`),
  );
  expect(needless).toEqual([]);
});

test('a planted tree is caught in names, texts, comments and pages, and only there', () => {
  expect(wordFaults(filesIn(plantedTree('words')))).toEqual([
    'src/core/dialect.ts:1 seat',
    'src/core/dialect.ts:3 at a seat',
    'src/core/dialect.ts:7 concealed',
    'src/core/dialect.ts:7 seat',
    'src/core/dialect.ts:7 blast',
    'src/core/dialect.ts:8 blast radius',
    'src/core/dialect.ts:10 doomed',
    'src/core/dialect.ts:10 rehearse',
    'README.md:3 judgement',
    'docs/decisions/0001.md:3 unsealed',
  ]);
});
