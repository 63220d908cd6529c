/** JSON in one line with nothing in it that a terminal or a reader of lines takes for more than text; reading it gives the same value. */
export function toSafeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
