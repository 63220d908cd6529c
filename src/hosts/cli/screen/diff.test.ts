import { expect, test } from 'bun:test';
import { findChangedWords } from './changed-words.ts';
import { formatDiff } from './diff.ts';
import { createTheme } from './theme.ts';

const theme = createTheme({ TERM: 'xterm-256color' });

/** Marks instead of sequences, so that a test can be read. */
function show(diff: string, width = 60): readonly string[] {
  return formatDiff(`@@ -1 +1 @@\n${diff}`, width, theme)
    .slice(1)
    .map((row) =>
      row
        .replaceAll(`${theme.sgr.removed}${theme.sgr.selected}`, '<')
        .replaceAll(`${theme.sgr.added}${theme.sgr.selected}`, '<')
        .replace(/<([^\x1b]*)\x1b\[0m/g, '<$1>')
        .replace(/\x1b\[[0-9;]*m/g, ''),
    );
}

test('the words in which a line differs from the one it replaced stand out', () => {
  expect(show('-const port = 80;\n+const port = 8080;\n')).toEqual(['-const port = <80>;', '+const port = <8080>;']);
  expect(show('-first one\n-second one\n+first two\n+second three\n')).toEqual([
    '-first <one>',
    '-second <one>',
    '+first <two>',
    '+second <three>',
  ]);
});

test('nothing stands out in lines that came, that went, or that are others altogether', () => {
  expect(show('-alpha beta\n+completely different words here\n')).toEqual([
    '-alpha beta',
    '+completely different words here',
  ]);
  expect(show('+only new\n same\n-only old\n')).toEqual(['+only new', ' same', '-only old']);
  expect(show('-one a\n-two a\n+one b\n')).toEqual(['-one a', '-two a', '+one b']);
});

test('a word that is folded stands out in every row that it is in', () => {
  expect(show('-abc defghijkl end\n+abc defghijkz end\n', 12)).toEqual([
    '-abc <defgh>',
    ': <ijkl> end',
    '+abc <defgh>',
    ': <ijkz> end',
  ]);
});

test('without colours nothing is marked', () => {
  const plain = createTheme({ TERM: 'xterm', NO_COLOR: '1' });
  expect(formatDiff('@@ -1 +1 @@\n-const a = 1\n+const a = 2\n', 60, plain)).toEqual([
    '@@ -1 +1 @@',
    '-const a = 1',
    '+const a = 2',
  ]);
});

test('changed neighbours are one range, and very long lines are not looked into', () => {
  expect(findChangedWords('let x = one two;', 'let x = three;')).toEqual({ before: [[8, 15]], after: [[8, 13]] });
  expect(findChangedWords(`${'x '.repeat(300)}a`, `${'x '.repeat(300)}b`)).toEqual({ before: [], after: [] });
});
