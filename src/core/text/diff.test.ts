import { expect, test } from 'bun:test';
import { formatUnifiedDiff, formatWordDiff } from './diff.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`);

test('equal texts have an empty diff', () => {
  expect(formatUnifiedDiff({ path: 'a', before: 'x\n', after: 'x\n' })).toBe('');
});

test('a changed line is shown with three lines around it', () => {
  const before = numbers(12);
  const after = before.with(5, 'changed\n');
  expect(formatUnifiedDiff({ path: 'a.txt', before: before.join(''), after: after.join('') })).toBe(
    `--- a/a.txt\n+++ b/a.txt\n@@ -3,7 +3,7 @@\n line 3\n line 4\n line 5\n-line 6\n+changed\n line 7\n line 8\n line 9\n`,
  );
});

test('a new file comes from /dev/null', () => {
  expect(formatUnifiedDiff({ path: 'a', before: null, after: 'one\ntwo' })).toBe(
    '--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n',
  );
});

test('a lost last line break is a difference', () => {
  expect(formatUnifiedDiff({ path: 'a', before: 'x\n', after: 'x' })).toBe(
    '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+x\n\\ No newline at end of file\n',
  );
});

test('changes far apart make two hunks with right line numbers', () => {
  const before = numbers(30);
  const after = [...before.slice(0, 2), 'new\n', ...before.slice(2, 24), ...before.slice(25)];
  const diff = formatUnifiedDiff({ path: 'a', before: before.join(''), after: after.join('') });
  expect(diff.match(/^@@.*$/gm)).toEqual(['@@ -1,5 +1,6 @@', '@@ -22,7 +23,6 @@']);
});

test('interleaved changes give the shortest script', () => {
  const diff = formatUnifiedDiff({ path: 'a', before: 'a\nb\nc\na\nb\nb\na\n', after: 'c\nb\na\nb\na\nc\n' });
  expect(diff.split('\n').filter((line) => /^[-+][a-z]$/.test(line)).length).toBe(5);
});

test('applying the diff to the old text gives the new one, for many random texts', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
  const randomText = () => Array.from({ length: random(20) }, () => 'abc'.charAt(random(3))).join('\n') + (random(2) ? '\n' : '');
  for (let round = 0; round < 500; round += 1) {
    const before = randomText();
    const after = randomText();
    expect(applyDiff(before, formatUnifiedDiff({ path: 'a', before, after }))).toBe(after);
  }
});

test('texts with nothing in common are replaced whole once the search is too long', () => {
  const before = Array.from({ length: 3000 }, (_, index) => `old ${index}\n`).join('');
  const after = Array.from({ length: 3000 }, (_, index) => `new ${index}\n`).join('');
  const diff = formatUnifiedDiff({ path: 'a', before, after });
  expect(diff.split('\n')[2]).toBe('@@ -1,3000 +1,3000 @@');
  expect(applyDiff(before, diff)).toBe(after);
});

/** A strict `patch`: context and removed lines must be there. */
function applyDiff(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const lines = diff.replaceAll('\n\\ No newline at end of file\n', '\u0000').match(/[^\n\u0000]*[\n\u0000]/g) ?? [];
  let position = 0;
  let result = '';
  for (const line of lines.slice(2)) {
    const start = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (start !== null) {
      const next = Number(start[1]) - (start[2] === '0' ? 0 : 1);
      result += old.slice(position, next).join('');
      position = next;
      continue;
    }
    const text = line.slice(1).replace('\u0000', '');
    if (line.startsWith('+')) result += text;
    else {
      expect(old[position]).toBe(text);
      position += 1;
      if (line.startsWith(' ')) result += text;
    }
  }
  return result + old.slice(position).join('');
}

test('a name with a line end in it is quoted, so that it makes no line of its own', () => {
  const diff = formatUnifiedDiff({ path: 'a\n+++ b/"x"\\', before: 'one\n', after: null });
  expect(diff).toBe('--- "a/a\\n+++ b/\\"x\\"\\\\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n');
});

test.each([
  ['a word', 'Reads a note.', 'Reads a secret note.', 'Reads a {+secret +}note.'],
  ['a sign', '"type": "string"', '"type": "number"', '"type": "[-string-]{+number+}"'],
  ['a hidden character', 'Reads', 'Reads\u200b', 'Reads{+<U+200B>+}'],
  ['a letter that looks the same', 'read', 're\u0430d', '[-read-]{+re<U+0430>d+}'],
  ['what could pass for a mark', 'a [-b-]', 'c [-b-]', '[-a-]{+c+} \\[-b\\-]'],
  ['a change behind a backslash', 'a\\', 'a\\b', 'a\\{+b+}'],
])('%s is told', (_, before, after, shown) => {
  expect(formatWordDiff(before, after)).toBe(shown);
});

test('rows far from a change are left out, and a change of several rows is marked in each', () => {
  const rows = ['one', 'two', 'three', 'four', 'five'];
  expect(formatWordDiff(rows.join('\n'), [...rows, 'six', 'seven'].join('\n'))).toBe(
    ['…', 'three', 'four', 'five', '{+six+}', '{+seven+}'].join('\n'),
  );
});

test('a line end that came is no invisible change', () => {
  expect(formatWordDiff('a', 'a\n')).toBe('a{+\\n+}\n');
});

test('nothing is told of what is the same', () => {
  expect(formatWordDiff('a\nb', 'a\nb')).toBe('…');
});
