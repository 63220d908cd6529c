/** What a character is to the search for secrets: a letter or figure without its case, or nothing. */

/** Number of different letters: figures are 1 to 10, letters 11 to 36. */
export const LETTERS = 37;

/** Kind of each ASCII character: its letter, `OPENS` for what may begin an escape, 0 for all else. */
export const KIND: Uint8Array = createKinds();

/** Kind of a character that may begin an escape such as `%41`, `\x41`, `&amp;` or a sequence for the terminal. */
export const OPENS = 64;

/** Letter of a character; 0 for one that is none. */
export function letterOf(code: number): number {
  const kind = code < 128 ? (KIND[code] ?? 0) : 0;
  return kind === OPENS ? 0 : kind;
}

/** A text without all that is neither letter nor figure. */
export function lettersOnly(text: string): string {
  return text.replace(/[^0-9A-Za-z]+/g, '');
}

function createKinds(): Uint8Array {
  const kinds = new Uint8Array(128);
  for (let at = 0; at < 10; at += 1) kinds[48 + at] = 1 + at;
  for (let at = 0; at < 26; at += 1) {
    kinds[65 + at] = 11 + at;
    kinds[97 + at] = 11 + at;
  }
  for (const character of '%\\&\x1b') kinds[character.charCodeAt(0)] = OPENS;
  return kinds;
}
