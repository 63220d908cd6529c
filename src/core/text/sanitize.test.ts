import { describe, expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import { escapeForDisplay, sanitizeColoured, sanitizeLine, sanitizeText, TextSanitizer } from './sanitize.ts';

const HIDDEN_OR_CONTROL = new RegExp(
  [
    String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e`,
    String.raw`\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]`,
  ].join(''),
  'u',
);

describe('sanitizeText', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['a link keeps its text and loses its address', '\x1b]8;;https://evil.example/\x1b\\shown\x1b]8;;\x07', 'shown'],
    ['queries and screen clearing vanish whole', 'a\x1b[c\x1b[6n\x1b[2J\x1b[Hb\x1bcc', 'abc'],
    ['a cut sequence leaves no rest', 'x\x1b[38;5', 'x'],
    ['eight-bit introducers count as sequences', 'a\x9b31mb\x9d0;title\x9cc\x90q\x1b\\d', 'abcd'],
    ['an unclosed control string ends with its line', 'a\x1b]0;title\nnext', 'a\nnext'],
    ['a sequence begun inside a control string is one too', 'a\x1b]0;t\x1b[31mb', 'ab'],
    ['a lone carriage return begins a new line instead of overwriting', 'visible\rHIDDEN\r\nend\r', 'visible\nHIDDEN\nend'],
    ['bidirectional controls, fillers and tags go', 'a\u202eb\u3164c\u{e0041}d\u200be', 'abcde'],
    ['letters of any script stay', 'Grüße, 你好, مرحبا, שלום, क्\u200dष', 'Grüße, 你好, مرحبا, שלום, क्\u200dष'],
    ['an emoji family stays one', '👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3', '👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3'],
    ['a joiner between Latin letters is no spelling', 'pa\u200dy\u200cload\u200d', 'payload'],
    ['a joiner between Cyrillic letters is none either', 'ра\u200dу', 'рау'],
    ['a joiner with nothing after it hides nothing', '👩\u200d', '👩'],
    ['a joiner that shapes the end of a word stays', 'അവന്\u200d പോയി 1442 ه\u200d', 'അവന്\u200d പോയി 1442 ه\u200d'],
    ['half a surrogate pair becomes the replacement character', 'a\ud83db', 'a\ufffdb'],
    ['stacked accents are bounded', `e${'\u0301'.repeat(50)}`, `e${'\u0301'.repeat(8)}`],
  ];
  for (const [title, text, expected] of cases) test(title, () => expect(sanitizeText(text)).toBe(expected));

  test('nothing hidden survives, wherever the text is cut', () => {
    const hostile = fc.constantFrom(
      '\x1b',
      '[',
      ']',
      '31',
      'm',
      ';',
      '\x07',
      '\x9b',
      '\u202e',
      '\u200d',
      '👩',
      '\udc69',
      '\ufe0f',
      '\x85',
      'é',
      'ab',
      '\r',
      '\n',
      '\ud83d',
      '\\',
      'P',
    );
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 40 }), (pieces) => {
        const whole = sanitizeText(pieces.join(''));
        const stream = new TextSanitizer();
        const streamed = pieces.map((piece) => stream.push(piece)).join('') + stream.end();
        expect(streamed).toBe(whole);
        expect(whole).not.toMatch(HIDDEN_OR_CONTROL);
        expect(sanitizeText(whole)).toBe(whole);
      }),
      { numRuns: 500 },
    );
  });
});

test('a name of one line has no layout', () => {
  expect(sanitizeLine('a\tb\r\nc\x1b[31m ')).toBe('a b c');
});

describe('sanitizeColoured', () => {
  test('colours pass and are closed', () => {
    expect(sanitizeColoured('\x1b[1;31mred\x1b[2J')).toBe('\x1b[1;31mred\x1b[0m');
  });
  test('redact does not pass, colour number 8 does', () => {
    expect(sanitizeColoured('\x1b[8mx\x1b[31;8my\x1b[38;5;8mz\x1b[0m')).toBe('x\x1b[31my\x1b[38;5;8mz\x1b[0m');
  });
});

describe('escapeForDisplay', () => {
  test('a mark that shows nothing is named like any other character that hides', () => {
    for (const hidden of ['\u034f', '\u17b4', '\u180b', '\u{e0100}', '\u{e01ef}']) {
      const name = `<U+${(hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
      expect([escapeForDisplay(`git${hidden} push`), sanitizeText(`git${hidden} push`)]).toEqual([`git${name} push`, 'git push']);
    }
    expect(escapeForDisplay('e\u0301')).toBe('e\u0301');
  });

  test('what is hidden is spelled out', () => {
    expect(escapeForDisplay('a\x1b[31m\u202e\u2028\u{e0041}\t\n\u00a0b')).toBe(
      'a<U+001B>[31m<U+202E><U+2028><U+E0041><U+0009><U+000A><U+00A0>b',
    );
  });
  test('new lines stay where lines are shown', () => {
    expect(escapeForDisplay('a\nb\r\n', { multiline: true })).toBe('a\nb<U+000D>\n');
  });
  test('words and emoji stay', () => {
    expect(escapeForDisplay('Größe 你好 👩\u200d💻')).toBe('Größe 你好 👩\u200d💻');
  });
});

test('what is typed like the name of a character is told from the character, and no backslash is doubled', () => {
  expect([
    escapeForDisplay('\x1b[2J\\x1b'),
    escapeForDisplay('<U+001B> <u+1b2c> <U+1> <b>'),
    escapeForDisplay('é<U+001B>\\t'),
    escapeForDisplay('<U+00\x1b1B>'),
  ]).toEqual(['<U+001B>[2J\\x1b', '<U+003C>U+001B> <U+003C>u+1b2c> <U+1> <b>', 'é<U+003C>U+001B>\\t', '<U+00<U+001B>1B>']);
});

test('what is shown can be read back, whatever the text is', () => {
  const parts = fc.constantFrom('<', 'U+', 'u+', '001B', '>', '\\', '\x1b', '\u200b', '\n', 'é', '\u0301', '0', 'F');
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 24 }), (pieces) => {
      const shown = escapeForDisplay(pieces.join(''));
      const read = shown.replace(/<U\+([0-9A-F]{4,6})>/g, (_, digits) => String.fromCodePoint(Number.parseInt(digits, 16)));
      expect(read).toBe(pieces.join(''));
    }),
    { numRuns: 500 },
  );
});

test('blanks that are none are spelled out', () => {
  expect(escapeForDisplay('a\u3000b\u2800c\u{1d159}d')).toBe('a<U+3000>b<U+2800>c<U+1D159>d');
});
