import { expect, test } from 'bun:test';
import { findLookAlike, isHidden, isJoiner, isVariationSelector, isVisible, spellLookAlikes, spellName } from './hidden-character.ts';

/** The characters that Unicode calls invisible, or a control. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Signs that stand around numbers in Arabic, Syriac and Kaithi: of that class, and visible. */
const VISIBLE_FORMAT = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;

test('all that Unicode knows as invisible is hidden, but for joiners and selectors, which are classified by their place', () => {
  const missed: string[] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (isHidden(codePoint) || isJoiner(codePoint) || isVariationSelector(codePoint)) continue;
    const character = String.fromCodePoint(codePoint);
    if (INVISIBLE.test(character) && !VISIBLE_FORMAT.test(character)) missed.push(codePoint.toString(16));
  }
  expect(missed).toEqual([]);
});

test('no letter, mark, number, sign or blank is hidden', () => {
  const wrong: string[] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (!isHidden(codePoint)) continue;
    const character = String.fromCodePoint(codePoint);
    if (/[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/u.test(character) && !INVISIBLE.test(character)) wrong.push(codePoint.toString(16));
  }
  expect(wrong).toEqual([]);
});

test.each([
  ['a Cyrillic letter in a Latin word', 're\u0430d it', 're<U+0430>d it'],
  ['letters made for formulas', '\u{1d42b}ead', '<U+1D42B>ead'],
  ['words of one script stay', '\u0441\u043e\u0440\u0443 Größe naïve 読む', '\u0441\u043e\u0440\u0443 Größe naïve 読む'],
])('%s', (_, text, shown) => {
  expect(spellLookAlikes(text)).toBe(shown);
});

test('nothing in a name passes for a plain letter', () => {
  expect(spellName('\u0441\u043e\u0440\u0443')).toBe('<U+0441><U+043E><U+0440><U+0443>');
});

test.each([
  ['read-file', 'read_file'],
  ['re\u0430d_file', 'read_file'],
  ['ReadFile', 'read_file'],
  ['get_b1ll', 'get_bill'],
  ['\uff52ead_file', 'read_file'],
])('%s can be taken for %s', (name, other) => {
  expect(findLookAlike(name, ['other', name, other])).toBe(other);
});

test('a name of its own is taken for no other', () => {
  expect(findLookAlike('read_file', ['read_file', 'read_files', 'write_file'])).toBeNull();
});

const NOTHING = [
  ...['', ' \n', '\u200b', '\u200c\u2060\ufeff', '\u3164', '\u2800', '\ufe0f', '\u{e0041}', '\0\u0007', '\u00ad', '\u034f', '\ufffd'],
  ...['\x1b[0m', '<pad><pad>', '<s>', '<|im_end|>\n', '```\n```', '```json\n\n```\n', '~~~'],
];
const SOMETHING = ['.', '👍', '。', '0', '½', 'é', '-', '```\nls\n```', '<s>no</s>', '\x1b[1mA', '<p>', '| a |'];

test('blanks, fillers, controls, marks of templates and empty frames show nothing', () => {
  expect(NOTHING.filter(isVisible)).toEqual([]);
  expect(SOMETHING.filter((text) => !isVisible(text))).toEqual([]);
});
