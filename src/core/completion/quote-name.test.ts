import { describe, expect, test } from 'bun:test';
import { commonStart, quoteName } from './quote-name.ts';

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
      expect([quoteName(name, 'none'), quoteName(name, 'single'), quoteName(name, 'double')]).toEqual([
        bare,
        single,
        double,
      ]);
    });
  }

  test('escapes quotes and control characters inside ANSI-C quotes', () => {
    expect(quoteName("a'\x07b\\", 'ansi')).toBe("a\\'\\x07b\\\\");
  });
});

test('a byte that is no UTF-8 becomes itself again', () => expect(quoteName('caf\udce9', 'none')).toBe("caf$'\\xe9'"));

describe('commonStart', () => {
  test('never ends between a backslash and what it protects', () => {
    expect(commonStart(['a\\ b', 'a\\(c'])).toBe('a');
  });
  test('never ends inside of ANSI-C quotes', () => {
    expect(commonStart(["a$'\\x1b'b", "a$'\\x1c'b"])).toBe('a');
  });
  test('is the whole of a single text', () => expect(commonStart(['abc'])).toBe('abc'));
});
