import { expect, test } from 'bun:test';
import { manualPages } from './manual-pages.ts';

/** The pages for a line, in which `^` stands for the cursor. */
function pagesAt(marked: string): readonly string[] {
  const cursor = marked.indexOf('^');
  return manualPages(marked.replace('^', ''), cursor, new Map([['gco', 'git checkout']]));
}

test('the command at the cursor has a page, and its subcommand a closer one', () => {
  expect(pagesAt('g^rep -n x file')).toEqual(['grep']);
  expect(pagesAt('git -C x com^mit')).toEqual(['git-x', 'git-commit', 'git']);
  expect(pagesAt('sudo apt^')).toEqual(['apt']);
  expect(pagesAt('ls | so^rt > x')).toEqual(['sort']);
  expect(pagesAt('!/usr/bin/env^')).toEqual(['env']);
});

test('an alias stands for what it runs, and a line without a command has no page', () => {
  expect(pagesAt('gco main^')).toEqual(['git-checkout', 'git-main', 'git']);
  expect([pagesAt('^'), pagesAt('$x^'), pagesAt('# why^')]).toEqual([[], [], []]);
});
