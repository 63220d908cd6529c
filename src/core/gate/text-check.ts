import { isHidden, isJoiner, isOddBlank } from '../hidden-character.ts';
import type { Finding } from './verdict.ts';

/** Judges the characters of a line before anything else: what hides, reorders or looks like another may not stand in a command. */
export function judgeText(text: string): readonly Finding[] {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code === 0x0a || code === 0x09) continue;
    if (isHidden(code) || isOddBlank(code) || (isJoiner(code) && !hasEmoji(text))) {
      return [refusal(`a hidden character (U+${code.toString(16).toUpperCase().padStart(4, '0')})`)];
    }
  }
  return /(^|[\n;|&(`])\s*[^\s\x00-\x7f]|(^|[\s;|&("'`/])(?=[\w./-]*[^\x00-\x7f])(?=[^\s]*[A-Za-z])[\w./-]*[\u0370-\u04ff\u0530-\u058f\uff01-\uff5e\u2010-\u2015\u2212\u2024\u2044\u2215\u29f8]/u.test(
    text,
  )
    ? [refusal('a character that looks like another')]
    : [];
}

function refusal(reason: string): Finding {
  return { class: 'unparseable', decision: 'deny', reason, floor: 'D5' };
}

function hasEmoji(text: string): boolean {
  return /\p{Extended_Pictographic}/u.test(text);
}
