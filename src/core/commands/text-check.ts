import { isHidden, isJoiner, isOddBlank } from '../text/hidden-character.ts';
import type { Argument } from './argument.ts';
import { type Effect, effect } from './verdict.ts';

/** Classifies the characters of a line first: a command must not contain characters that hide or reorder text, or look like others. */
export function classifyText(text: string): readonly Effect[] {
  let before = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isLost = (code === 0xfe0e || code === 0xfe0f) && !/[\p{Extended_Pictographic}\d#*]/u.test(before);
    before = character;
    if (code === 0x0a || code === 0x09) continue;
    if (isLost || isHidden(code) || isOddBlank(code) || (isJoiner(code) && !hasEmoji(text)))
      return [effect('deceives', { because: 'hidden-character', detail: `U+${code.toString(16).toUpperCase().padStart(4, '0')}` })];
  }
  return [];
}

/** Letters and signs of other alphabets that look like those in commands. */
const LOOK_ALIKE = /[\u0370-\u04ff\u0530-\u058f\u13a0-\u13ff\uff01-\uff5e\u2010-\u2015\u2018-\u201f\u2024\u2044\u2212\u2215\u29f8]/u;

/** Classifies the look of a command's words: a program name has plain letters only, and an unquoted word does not mix alphabets. */
export function classifyLook(words: readonly Pick<Argument, 'text' | 'value'>[]): readonly Effect[] {
  return words.flatMap(({ text, value }, at) => {
    if (value === null || text !== value) return at === 0 && LOOK_ALIKE.test(text) ? [LOOKS] : [];
    if (at === 0) return /[^\x00-\x7f]/.test(text) ? [LOOKS] : [];
    return passesForAnother(text) ? [LOOKS] : [];
  });
}

/** Letters of other alphabets that all look like a plain letter. */
const TWINS =
  /^[асеорхуіѕјһԁԛԝАВЕКМНОРСТХУІЅЈ\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bd\u03bf]+$/u;

/** A name in another language may end in plain letters. One that mixes alphabets, or has only look-alikes, imitates another name. */
function passesForAnother(text: string): boolean {
  if (!LOOK_ALIKE.test(text) || !/[A-Za-z]/.test(text)) return false;
  const others = text.replace(/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu, '');
  if (LOOK_ALIKE.test(others)) return true;
  return text.split(/[^\p{L}\p{M}]+/u).some((run) => TWINS.test(run) || (LOOK_ALIKE.test(run) && /[A-Za-z]/.test(run)));
}

const LOOKS = effect('deceives', { because: 'look-alike' });

function hasEmoji(text: string): boolean {
  return /\p{Extended_Pictographic}/u.test(text);
}
