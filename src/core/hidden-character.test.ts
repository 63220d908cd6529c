import { expect, test } from 'bun:test';
import { isHidden, isJoiner, isVariationSelector } from './hidden-character.ts';

/** What Unicode calls invisible, or a control. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** Signs that stand around numbers in Arabic, Syriac and Kaithi: of that class, and visible. */
const VISIBLE_FORMAT = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;

test('all that Unicode knows as invisible is hidden, but for joiners and selectors, which are judged by their place', () => {
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
    if (/[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/u.test(character) && !INVISIBLE.test(character))
      wrong.push(codePoint.toString(16));
  }
  expect(wrong).toEqual([]);
});
