import { expect, test } from 'bun:test';
import { createTheme } from '../../../core/terminal/theme.ts';
import { findChangedWords } from '../../../core/text/diff.ts';
import { formatDiff } from './diff.ts';

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

const bare = createTheme({ TERM: 'xterm', NO_COLOR: '1' });

test('what a file holds reads as it is, escapes of its language too', () => {
  const diff = '@@ -1,2 +1,2 @@\n-a\\tb\x1b\n+a\\u00e9\n one\n\\ No newline at end of file\n';
  expect(formatDiff(diff, 60, bare)).toEqual([
    '@@ -1,2 +1,2 @@',
    '-a\\tb<U+001B>',
    '+a\\u00e9',
    ' one',
    '\\ No newline at end of file',
  ]);
});

test('line ends that are the same everywhere are told once for each file', () => {
  const crlf = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+TWO\r\n';
  const mixed = 'diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\r\n';
  expect(formatDiff(`${crlf}${mixed}`, 60, bare)).toEqual([
    'diff --git a/a b/a',
    '--- a/a',
    '+++ b/a',
    '(lines end with CRLF)',
    '@@ -1,2 +1,2 @@',
    ' one',
    '-two',
    '+TWO',
    'diff --git a/b b/b',
    '--- a/b',
    '+++ b/b',
    '@@ -1,2 +1,2 @@',
    ' one',
    '-two',
    '+TWO<U+000D>',
  ]);
});

test('a change of the line ends alone is told as one, and a last line without an end does not count', () => {
  const body = '-one\n-two\n+one\r\n+two\n\\ No newline at end of file\n';
  expect(formatDiff(`@@ -1,2 +1,2 @@\n${body}`, 60, bare)).toEqual([
    '(line ends change from LF to CRLF)',
    '@@ -1,2 +1,2 @@',
    '-one',
    '-two',
    '+one',
    '+two',
    '\\ No newline at end of file',
  ]);
});
