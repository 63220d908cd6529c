import { expect, test } from 'bun:test';
import { commentFaults, EXCEPTED_PAGES, messageFaults, proseFaults, toTexts } from './prose.ts';
import { plantedTree, ROOT, readTree, type SourceFile } from './source.ts';

const pages = pagesIn(ROOT);

/** The pages for readers; the changelog is a list. */
function pagesIn(root: string): SourceFile[] {
  return [...readTree(root, '*.md'), ...readTree(root, 'docs/*.md')].filter(({ path }) => path !== 'CHANGELOG.md');
}

test('every page reads well: short sentences, an actor, a subject, words that everybody knows', () => {
  expect(proseFaults(pages)).toEqual([]);
});

/** The files that hold nothing but texts, and the tables whose cells are texts. */
function textsIn(root: string): SourceFile[] {
  const tables = [
    'core/meta/meta-table',
    'core/meta/help-text',
    'core/command-line/command-table',
    'protocol/config-schema',
    'protocol/mcp-schema',
  ];
  return [
    ...readTree(root, 'src/**/messages*.ts'),
    ...tables.flatMap((table) => readTree(root, `src/${table}.ts`)),
  ].filter(({ path }) => !path.endsWith('.test.ts'));
}

test('every message reads well too', () => {
  const files = textsIn(ROOT);
  expect(files.flatMap(toTexts).length).toBeGreaterThan(1000);
  expect(messageFaults(files)).toEqual([]);
});

test('planted messages are caught, and comments are none', () => {
  expect(messageFaults(textsIn(plantedTree('prose')))).toEqual([
    'src/hosts/messages.ts:2 no subject: What was typed is gone.',
    'src/hosts/messages.ts:4 no subject: Who owns … and … is asked.',
    'src/hosts/messages.ts:4 nobody who acts: is asked',
  ]);
});

test('every sentence of a comment has a subject', () => {
  const files = readTree(ROOT, '{bench,scripts,src,test}/**/*.{ts,tsx}');
  const faults = commentFaults(files);
  expect(files.length).toBeGreaterThan(1000);
  expect(faults).toEqual([]);
});

test('planted comments are caught, and texts are none', () => {
  expect(commentFaults(textsIn(plantedTree('prose')))).toEqual([
    'src/hosts/messages.ts:1 no subject: What a comment says is no text.',
  ]);
});

test('every page is read, and those that are held to less are there', () => {
  const paths = new Set(pages.map(({ path }) => path));
  const wanted = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/safety.md', ...Object.keys(EXCEPTED_PAGES)];
  expect(wanted.filter((path) => !paths.has(path))).toEqual([]);
});

test('planted pages are caught in each way to be hard to read, and only there', () => {
  expect(proseFaults(pagesIn(plantedTree('prose')))).toEqual([
    'CONTRIBUTING.md has 152 lines, more than 150',
    expect.stringMatching(/^README.md:3 a sentence of 33 words: /),
    'README.md:5 no subject: What destroys things is refused.',
    'README.md:5 nobody who acts: is asked',
    'README.md:5 nobody who acts: is never told',
    'README.md:9 a word of our own: seat',
    'README.md:9 a word of our own: text of others',
    'README.md has 92.1 of what, who and where in 1,000 words (7)',
    'docs/glossary.md has 41 terms, more than 40',
  ]);
});
