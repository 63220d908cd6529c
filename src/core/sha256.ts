/** SHA-256 (FIPS 180-4) of text as UTF-8, in hex. For short names: this floor has no library to ask. */
export function sha256(text: string): string {
  const bytes = pad(toUtf8(text));
  let state = [...INITIAL];
  for (let at = 0; at < bytes.length; at += 64) state = compress(state, bytes, at);
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const PRIMES = firstPrimes(64);
/** Fractional parts of the square roots of the first eight primes, and of the cube roots of the first 64. */
const INITIAL: readonly number[] = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUND: readonly number[] = PRIMES.map((prime) => fraction(Math.cbrt(prime)));

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}

function fraction(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
}

function toUtf8(text: string): number[] {
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
