import { expect, test } from 'bun:test';
import { expandAlias } from './alias.ts';
import { findCursorContext } from './cursor-context.ts';

const ALIASES = new Map([
  ['gco', 'git checkout'],
  ['g', 'git'],
  ['s', 'sudo g'],
  ['ls', 'ls --color'],
  ['here', 'cd "$PWD"'],
]);

test.each([
  ['gco ma', 'git checkout ma', ['git', 'checkout']],
  ['echo; gco ma', 'echo; git checkout ma', ['git', 'checkout']],
  ['sudo g ma', 'sudo git ma', ['git']],
  ['s che', 'sudo git che', ['git']],
  ['ls fi', 'ls --color fi', ['ls', '--color']],
  ['here fi', null, null],
  ['git fi', null, null],
  ['\\gco ma', null, null],
  ['gco', null, null],
])('%j is completed as %j', (line, text, words) => {
  const context = findCursorContext(line, line.length);
  const expanded = context === null ? null : expandAlias(line, context, ALIASES);
  expect([
    expanded?.text ?? null,
    expanded?.context.words.map(({ value }) => value) ?? null,
    expanded?.shift ?? 0,
  ]).toEqual([text, words, text === null ? 0 : text.length - line.length]);
});
