/** The bytes of a text in UTF-8; half a surrogate pair becomes the replacement character. */
export function toUtf8(text: string): number[] {
  const bytes: number[] = [];
  for (const character of text.replace(/\p{Cs}/gu, '\ufffd')) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), tail(code, 0));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), tail(code, 6), tail(code, 0));
    else bytes.push(0xf0 | (code >> 18), tail(code, 12), tail(code, 6), tail(code, 0));
  }
  return bytes;
}

function tail(code: number, shift: number): number {
  return 0x80 | ((code >> shift) & 0x3f);
}
