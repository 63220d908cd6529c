import { expect, test } from 'bun:test';
import { TextSanitizer } from './sanitize.ts';
import { LEAVE_ALTERNATE } from './sanitize-sequence.ts';

const shown = (...pieces: readonly string[]) => shownTo(true, pieces);

const shownTo = (isReadingKeys: boolean, pieces: readonly string[]) => {
  const sanitizer = new TextSanitizer({ keepColours: true, mayDraw: () => isReadingKeys, lineEnd: '\r\n' });
  return pieces.map((piece) => sanitizer.push(piece)).join('') + sanitizer.end();
};

test('on the ordinary screen nothing moves, erases or overwrites', () => {
  expect(shown('a\x1b[2J\x1b[H\x1b[5Ab\x08\x08c\rd\x1b[?25l\x1b[4he')).toBe('abc\r\nde');
});

test('a terminal in raw mode gets its carriage returns, however they came', () => {
  expect([shown('a\nb\r\nc'), shown('a\r', '\nb'), shown('plain\n')]).toEqual(['a\r\nb\r\nc', 'a\r\nb', 'plain\r\n']);
});

test('on a screen of its own a program moves, erases and colours', () => {
  const drawn = '\x1b[2J\x1b[5;1Htext\x1b[31mred\x1b[K\b\b\r\n\x1b[2;9r\x1b[?25l';
  expect(shown('before\n\x1b[?1049h', drawn, '\x1b[?1049lafter')).toBe(`before\r\n\x1b[?1049h${drawn}${LEAVE_ALTERNATE}after`);
});

test('nothing else passes there: no question, no title, no clipboard, no lasting setting, no redact, no scrollback', () => {
  const hostile =
    '\x1b[6n\x1b[c\x1b]0;t\x07\x1b]52;c;AA\x07\x1bPq~\x1b\\\x1b[3J\x1b[?2004h\x1b[?1000h\x1b[8m\x1b[5i\x1b[2 q\x1bc\x1b[20t\x9b6n';
  expect(shown('\x1b[?47h', hostile, 'x\u202ey')).toBe(`\x1b[?1049hxy${LEAVE_ALTERNATE}`);
});

test('a screen that is not left is left at the end, and entered once', () => {
  expect([shown('\x1b[?1049hx\x1b[31m'), shown('\x1b[?1049h\x1b[?47hx\x1b[?1047ly')]).toEqual([
    `\x1b[?1049hx\x1b[31m${LEAVE_ALTERNATE}`,
    `\x1b[?1049hx${LEAVE_ALTERNATE}y`,
  ]);
});

test('what only prints has no screen of its own, and what it says there is seen', () => {
  expect(shownTo(false, ['a\x1b[?1049hb\x1b[2Jc\x1b[?1049ld'])).toBe('abcd');
});
