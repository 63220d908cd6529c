/** Reverses each line, as `rev` does. */
export function reverseLines(text: string): string {
  return text
    .split('\n')
    .map((line) => [...line].reverse().join(''))
    .join('\n');
}

/** Decodes base64 to characters; null for invalid input. */
export function decodeBase64(text: string): string | null {
  const clean = text.replace(/\s+/g, '').replace(/(?<!=)=+$/, '');
  if (!/^[A-Za-z0-9+/]*$/.test(clean)) return null;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let bits = 0;
  let held = 0;
  let decoded = '';
  for (const character of clean) {
    bits = ((bits << 6) | alphabet.indexOf(character)) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    decoded += String.fromCharCode((bits >> held) & 0xff);
  }
  return decoded;
}

/** Decodes hexadecimal digits to characters; null for invalid input. */
export function decodeHex(text: string): string | null {
  const clean = text.replace(/\s+/g, '');
  if (!/^([0-9a-fA-F]{2})*$/.test(clean)) return null;
  return clean.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}

/** Resolves the escapes of `echo -e`. */
function unescapeEcho(text: string): string {
  return text.replace(
    /\\(0[0-7]{0,3}|[0-7]{1,3}|x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|.)/g,
    (whole, code: string) => decodeEscape(code) ?? whole,
  );
}

const SIGNS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', f: '\f', v: '\v', '\\': '\\' };

function decodeEscape(code: string): string | null {
  if (/^[0-7]+$/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff);
  if (/^[xu]/.test(code) && code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return SIGNS[code] ?? null;
}

/** The output of `printf` for formats with `%s`, `%b`, `%c`, `%d`, `%%` and escapes; null for any other format. */
export function formatPrintf(format: string, words: readonly string[]): string | null {
  const places = format.match(/%[%a-zA-Z]|%[^%a-zA-Z]+[a-zA-Z]/g) ?? [];
  if (places.some((place) => !/^%[sbcd%i]$/.test(place))) return null;
  const holes = places.filter((place) => place !== '%%').length;
  const rounds = holes === 0 ? 1 : Math.max(1, Math.ceil(words.length / holes));
  let next = 0;
  let printed = '';
  for (let round = 0; round < rounds && round < 1000; round += 1)
    printed += unescapeEcho(format).replace(/%[sbcd%i]/g, (place) => {
      if (place === '%%') return '%';
      const word = words[next++] ?? '';
      return place === '%b' ? unescapeEcho(word) : place === '%c' ? word.slice(0, 1) : word;
    });
  return printed;
}

/** The output of `tr` for sets of characters and ranges; null for classes and anything else. */
export function translate(from: string, to: string, text: string): string | null {
  const source = expandSet(from);
  const target = expandSet(to);
  if (source === null || target === null || target === '') return null;
  const last = target.at(-1) ?? '';
  return [...text]
    .map((character) => {
      const at = source.lastIndexOf(character);
      return at < 0 ? character : (target[at] ?? last);
    })
    .join('');
}

function expandSet(set: string): string | null {
  if (/\[[:=]/.test(set) || set.startsWith('-')) return null;
  const plain = unescapeEcho(set);
  return plain.replace(/(.)-(.)/g, (_, from: string, to: string) => {
    let range = '';
    for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code += 1) range += String.fromCharCode(code);
    return range;
  });
}

/** The output of `echo`. */
export function echo(words: readonly string[]): string {
  const options = words.findIndex((word) => !/^-[neE]+$/.test(word));
  const flags = words.slice(0, options < 0 ? words.length : options).join('');
  const text = words.slice(options < 0 ? words.length : options).join(' ');
  const shown = flags.includes('e') ? unescapeEcho(text) : text;
  return flags.includes('n') ? shown : `${shown}\n`;
}

/** The output function of a filter: it applies `decode` to the input if the words match. */
export function filterBy(words: RegExp, decode: (input: string) => string | null) {
  return (given: readonly string[], input: string | null): string | null =>
    input !== null && words.test(given.join(' ')) ? decode(input) : null;
}
