/** SHA-256 (FIPS 180-4) of text as UTF-8, in hex. For short names: this layer has no library to ask. */
export function sha256(text: string): string {
  const bytes = pad(toUtf8(text));
  let state = [...INITIAL];
  for (let at = 0; at < bytes.length; at += 64) state = compress(state, bytes, at);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/**
 * Fractional parts of the square roots of the first eight primes, and of the cube roots of the first 64. Written
 * out, since working them out at each start would be so much work that it is compiled.
 */
// biome-ignore format: a table reads best as one
const INITIAL: readonly number[] = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];
// biome-ignore format: a table reads best as one
const ROUND: readonly number[] = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

function pad(bytes: readonly number[]): number[] {
  const padded = [...bytes, 0x80];
  while (padded.length % 64 !== 56) padded.push(0);
  const bits = bytes.length * 8;
  for (const half of [Math.floor(bits / 2 ** 32), bits >>> 0]) {
    for (const shift of [24, 16, 8, 0]) padded.push((half >>> shift) & 0xff);
  }
  return padded;
}

function compress(state: readonly number[], bytes: readonly number[], at: number): number[] {
  const words = schedule(bytes, at);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  words.forEach((word, round) => {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (ROUND[round] ?? 0) + word) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  });
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + (state[index] ?? 0)) | 0);
}

function schedule(bytes: readonly number[], at: number): number[] {
  const words: number[] = [];
  for (let index = 0; index < 16; index += 1) {
    const [first = 0, second = 0, third = 0, fourth = 0] = bytes.slice(at + index * 4, at + index * 4 + 4);
    words.push((first << 24) | (second << 16) | (third << 8) | fourth);
  }
  for (let index = 16; index < 64; index += 1) {
    const early = words[index - 15] ?? 0;
    const late = words[index - 2] ?? 0;
    const mixed = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words.push(((words[index - 16] ?? 0) + mixed + (words[index - 7] ?? 0) + mixedLate) | 0);
  }
  return words;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

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
