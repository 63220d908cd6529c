/** Ranges of code points that show nothing, reorder what stands around them, or steer a terminal; sorted. */
const HIDDEN: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];

const ZERO_WIDTH_NON_JOINER = 0x200c;
const ZERO_WIDTH_JOINER = 0x200d;

/** True for a code point that must never reach a terminal as it is. New line and tab count too: the caller lets them pass. */
export function isHidden(codePoint: number): boolean {
  if (codePoint < 0x7f) return codePoint < 0x20;
  for (const [first, last] of HIDDEN) {
    if (codePoint < first) return false;
    if (codePoint <= last) return true;
  }
  return false;
}

/** True for the joiners that emoji and some scripts need inside a word and that hide anywhere else. */
export function isJoiner(codePoint: number): boolean {
  return codePoint === ZERO_WIDTH_JOINER || codePoint === ZERO_WIDTH_NON_JOINER;
}

/** True for the selectors that choose between forms of the character before them. */
export function isVariationSelector(codePoint: number): boolean {
  return codePoint >= 0xfe00 && codePoint <= 0xfe0f;
}

/** True where a joiner does its work: between two characters that are neither Latin nor invisible themselves. */
export function mayJoin(before: number, after: number): boolean {
  return before >= 0x300 && after >= 0x300 && !isJoiner(before) && !isJoiner(after) && !isHidden(after);
}

/** True where a variation selector has a character to act on: a keycap, a symbol, an emoji, a letter outside Latin. */
export function mayVary(before: number): boolean {
  if (isVariationSelector(before) || isJoiner(before)) return false;
  return before >= 0xa9 || before === 0x23 || before === 0x2a || (before >= 0x30 && before <= 0x39);
}

/** True for blanks that look like a space and are none: a shell does not split words at them. */
export function isOddBlank(codePoint: number): boolean {
  if (codePoint < 0xa0) return false;
  if (codePoint === 0xa0 || codePoint === 0x1680 || codePoint === 0x202f || codePoint === 0x205f) return true;
  if (codePoint === 0x2800 || codePoint === 0x3000 || codePoint === 0x1d159) return true;
  return codePoint >= 0x2000 && codePoint <= 0x200a;
}

/** True for accents that stack on the character before them, of which a few are spelling and hundreds are an attack on the screen. */
export function isStackingMark(codePoint: number): boolean {
  if (codePoint < 0x300) return false;
  if (codePoint <= 0x36f) return true;
  if (codePoint >= 0x483 && codePoint <= 0x489) return true;
  if (codePoint >= 0x1ab0 && codePoint <= 0x1aff) return true;
  if (codePoint >= 0x1dc0 && codePoint <= 0x1dff) return true;
  return (codePoint >= 0x20d0 && codePoint <= 0x20ff) || (codePoint >= 0xfe20 && codePoint <= 0xfe2f);
}
