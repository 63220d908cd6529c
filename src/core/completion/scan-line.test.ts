import { describe, expect, test } from 'bun:test';
import { findCursorContext } from './cursor-context.ts';
import { fillSlot, findSlot, quoteName } from './scan-line.ts';

describe('quoteName', () => {
  const names: readonly (readonly [string, string, string, string])[] = [
    ['plain.txt', 'plain.txt', 'plain.txt', 'plain.txt'],
    ['two words', 'two\\ words', 'two words', 'two words'],
    ["it's", "it\\'s", "it'\\''s", "it's"],
    ['a"$b`c\\', 'a\\"\\$b\\`c\\\\', 'a"$b`c\\', 'a\\"\\$b\\`c\\\\'],
    ['$(reboot);', '\\$\\(reboot\\)\\;', '$(reboot);', '\\$(reboot);'],
    ['=a=b', '\\=a=b', '=a=b', '=a=b'],
    ['hey!', 'hey\\!', 'hey!', 'hey"\\!"'],
    ['a\nb', "a$'\\n'b", "a'$'\\n''b", 'a"$\'\\n\'"b'],
    ['\x1b[31mred', "$'\\x1b'\\[31mred", "'$'\\x1b''[31mred", '"$\'\\x1b\'"[31mred'],
    ['x\u202ey', "x$'\\u202e'y", "x'$'\\u202e''y", 'x"$\'\\u202e\'"y'],
  ];
  for (const [name, bare, single, double] of names) {
    test(`quotes ${JSON.stringify(name)} in each style`, () => {
      expect([quoteName(name, 'none'), quoteName(name, 'single'), quoteName(name, 'double')]).toEqual([bare, single, double]);
    });
  }

  test('escapes quotes and control characters inside ANSI-C quotes', () => {
    expect(quoteName("a'\x07b\\", 'ansi')).toBe("a\\'\\x07b\\\\");
  });
});

test('a byte that is no UTF-8 becomes itself again', () => expect(quoteName('caf\udce9', 'none')).toBe("caf$'\\xe9'"));

/** The line after its last path component was completed to a name. */
function complete(line: string, value: string, suffix?: string): string {
  const word = findCursorContext(line, line.length)?.word;
  if (word === undefined) return line;
  const slot = findSlot(word, word.raw.lastIndexOf('/') + 1);
  const { start, text } = fillSlot(slot, { value, ...(suffix === undefined ? {} : { suffix }) });
  return line.slice(0, start) + text;
}

describe('a name goes in as the user began it', () => {
  const lines: readonly (readonly [string, string, string])[] = [
    ['cat my', 'my file', 'cat my\\ file'],
    ['cat my\\ f', 'my file', 'cat my\\ file'],
    ['cat "my', 'my file', 'cat "my file"'],
    ["cat 'my", "my it's", "cat 'my it'\\''s'"],
    ['cat "a b/my', 'my file', 'cat "a b/my file"'],
    ['cat a\\ b/my', 'my file', 'cat a\\ b/my\\ file'],
    ['cat "a b"/m', 'my file', 'cat "a b"/my\\ file'],
    ['cat a/"m', 'my file', 'cat a/"my file"'],
    ['cat "a b/m"y', 'my file', 'cat "a b/"my\\ file'],
    ["cat $'m", 'm\ny', "cat $'m\\ny'"],
    ['cat $HOME/m', 'my file', 'cat $HOME/my\\ file'],
  ];
  for (const [line, name, wanted] of lines) test(line, () => expect(complete(line, name)).toBe(wanted));

  test('a folder leaves its quote open', () => expect(complete('cat "my', 'my dir/', '')).toBe('cat "my dir/'));
});
