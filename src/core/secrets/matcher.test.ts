import { describe, expect, test } from 'bun:test';
import { createSecretMatcher, type SecretMatcher } from './matcher.ts';
import type { Secret } from './secret.ts';

const VALUE = 'k7Qz-Wm4/pX9+vB2=nT6yR8';
const named = (values: Readonly<Record<string, string>>): Secret[] =>
  Object.entries(values).map(([name, value]) => ({ name, value, from: 'test' }));
const matcher = createSecretMatcher(named({ A: VALUE, PASSWORD: 'hunter2!x', SIGNS: '!@#$%^&*()', WORDS: 'Grünkohl-am-Meer-9' }));
const bytes = Buffer.from(VALUE);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The result for a text that comes sign by sign. */
function bySign(matcher: SecretMatcher, text: string): string {
  const stream = matcher.stream();
  return [...text].map((sign) => stream.push(sign)).join('') + stream.end();
}

describe('a secret is found', () => {
  const forms: Readonly<Record<string, string>> = {
    'as it is': VALUE,
    'in base64': base64(VALUE).replace(/=*$/, ''),
    'in base64 with a user before it': base64(`me:${VALUE}`).slice(4).replace(/=*$/, ''),
    'in base64url': bytes.toString('base64url'),
    'in wrapped base64': base64(`abc${VALUE}`)
      .slice(4)
      .replace(/(.{7})/g, '$1\r\n')
      .replace(/=*$/, ''),
    'in base64 of sixteen bits': Buffer.from(VALUE, 'utf16le').toString('base64').replace(/=*$/, ''),
    'in base32': 'NM3VC6RNK5WTIL3QLA4SW5SCGI6W4VBWPFJDQ',
    'in base32 of hex digits': 'DCRL2UHDATMJ8BRGB0SIMTI268UMSL1MF593G',
    'in hex': bytes.toString('hex'),
    'in hex of capitals with colons': [...bytes].map((byte) => byte.toString(16).toUpperCase()).join(':'),
    'in escapes of hex': [...bytes].map((byte) => `\\x${byte.toString(16)}`).join(''),
    'in escapes of octal figures': [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
    'in numbers': [...bytes].join(', '),
    'in numbers of C': [...bytes].map((byte) => `0x${byte.toString(16)}`).join(', '),
    'in a URL': encodeURIComponent(VALUE),
    'in a URL that encodes all': [...bytes].map((byte) => `%${byte.toString(16)}`).join(''),
    'in a URL that encodes here and there': [...VALUE]
      .map((sign, at) => (at % 3 > 0 ? sign : `%${sign.charCodeAt(0).toString(16)}`))
      .join(''),
    'in escapes of JSON': [...VALUE].map((sign, at) => (at % 2 > 0 ? sign : `\\u00${sign.charCodeAt(0).toString(16)}`)).join(''),
    'in HTML': VALUE.replace('=', '&#61;').replace('+', '&#x2b;').replace('7', '&#55;'),
    'quoted sign by sign': VALUE.replace(/(\W)/g, '\\$1'),
    'across a line break': `${VALUE.slice(0, 9)}\r\n   ${VALUE.slice(9)}`,
    'in colours': [...VALUE].join('\x1b[38;5;12m'),
    'in colours written down': [...VALUE].join('\\x1b[1m'),
    'with links in it': `${VALUE.slice(0, 9)}\x1b]8;;http://a\x1b\\${VALUE.slice(9)}`,
    'with a sign between any two': [...VALUE].join('|'),
    'in groups': VALUE.replace(/(.{4})/g, '$1 - '),
    'in two strings of code': `${VALUE.slice(0, 9)}" +\n      "${VALUE.slice(9)}`,
    'in octal figures without a zero': [...bytes].map((byte) => byte.toString(8)).join(' '),
    'in numbers of Unicode': [...VALUE].map((sign) => `U+00${sign.charCodeAt(0).toString(16).toUpperCase()}`).join(' '),
    'in escapes of JSON in JSON': [...bytes].map((byte) => `\\u00${byte.toString(16)}`).join(''),
    'in base64 of sixteen bits, the greater first': Buffer.from(VALUE, 'utf16le').swap16().toString('base64').replace(/=*$/, ''),
    'in hex of sixteen bits': Buffer.from(VALUE, 'utf16le').toString('hex'),
    'in base64 from its end': [...base64(VALUE).replace(/=*$/, '')].toReversed().join(''),
    'from its end in base64': base64([...VALUE].toReversed().join('')).replace(/=*$/, ''),
    'from its end in hex': Buffer.from([...VALUE].toReversed().join('')).toString('hex'),
    'with tags in it': VALUE.replace(/(.{3})(?=.)/g, '$1<b class="x">'),
    'from its end': [...VALUE].toReversed().join(''),
    'in other case': VALUE.toUpperCase(),
  };
  for (const [title, form] of Object.entries(forms)) {
    test(`${title}, and nothing of it is left`, () => {
      expect(matcher.redact(`before ${form} after`)).toBe('before ⟨secret:A⟩ after');
    });
    test(`${title}, when it comes sign by sign`, () => {
      expect(bySign(matcher, `before ${form} after`)).toBe('before ⟨secret:A⟩ after');
    });
  }
});

describe('broken over lines with something before each', () => {
  const fold = (width: number, write: (part: string, at: number) => string): string =>
    (VALUE.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).map(write).join('\n');
  const forms: Readonly<Record<string, string>> = {
    'of sed': fold(9, (part) => `part: ${part}`),
    'of nl': fold(5, (part, at) => `${String(at + 8).padStart(6)}\t${part}`),
    'of nl, sign by sign': fold(1, (part, at) => `${String(at + 8).padStart(6)}\t${part}`),
    'of grep -n': fold(4, (part, at) => `a/b-c/key:${at + 8}:${part}`),
    'of grep -on': fold(1, (part) => `1:${part}`),
    'of a quotation': fold(6, (part) => `> ${part}`),
  };
  for (const [title, form] of Object.entries(forms)) {
    const text = `before\n${form}\nbehind it\n`;
    const lead = /^(?:part: |\s+8\t|a\/b-c\/key:8:|1:|> )/.exec(form)?.[0] ?? '';
    const clean = `before\n${lead}⟨secret:A⟩\nbehind it\n`;
    test(`${title}, nothing of it is left`, () => expect(matcher.redact(text)).toBe(clean));
    test(`${title}, when it comes sign by sign`, () => expect(bySign(matcher, text)).toBe(clean));
  }
});

describe('in a dump of bytes', () => {
  const dumped = Buffer.from(`some words ${VALUE} and more after it\n`);
  const rows = Array.from({ length: 4 }, (_, row) => [...dumped.subarray(row * 16, row * 16 + 16)]);
  const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
  const offset = (row: number, base: number, width: number): string => (row * 16).toString(base).padStart(width, '0');
  const shown = (row: readonly number[]): string => String.fromCharCode(...row).replace('\n', '.');
  const dumps: Readonly<Record<string, string[]>> = {
    'that shows the characters beside pairs': rows.map(
      (row, at) =>
        `${offset(at, 16, 8)}: ${row
          .map(hex)
          .join('')
          .replace(/(.{4})/g, '$1 ')
          .padEnd(41)} ${shown(row)}`,
    ),
    'that shows the characters between bars': rows.map(
      (row, at) =>
        `${offset(at, 16, 8)}  ${row.slice(0, 8).map(hex).join(' ')}  ${row.slice(8).map(hex).join(' ').padEnd(24)} |${shown(row)}|`,
    ),
    'of words with the second byte first': rows.map(
      (row, at) =>
        `${offset(at, 8, 7)} ${row
          .map((byte, i) => (i % 2 > 0 ? `${hex(byte)}${hex(row[i - 1] ?? 0)} ` : ''))
          .join('')
          .trim()}`,
    ),
    'of bits': rows.map(
      (row, at) => `${offset(at, 16, 8)}: ${row.map((byte) => byte.toString(2).padStart(8, '0')).join(' ')}  ${shown(row)}`,
    ),
    'of words of four bytes': rows.map(
      (row, at) =>
        `${offset(at, 8, 7)} ${[0, 4, 8, 12]
          .map((from) =>
            row
              .slice(from, from + 4)
              .toReversed()
              .map(hex)
              .join(''),
          )
          .join(' ')}`,
    ),
    'of words of eight bytes without offsets': rows.map(
      (row) =>
        ` ${[0, 8]
          .map((from) =>
            row
              .slice(from, from + 8)
              .toReversed()
              .map(hex)
              .join(''),
          )
          .join(' ')}`,
    ),
    'of decimal words without offsets': rows.map((row) =>
      row.map((byte, i) => (i % 2 > 0 ? String(byte * 256 + (row[i - 1] ?? 0)).padStart(7) : '')).join(''),
    ),
    'of octal figures': rows.map((row, at) => `${offset(at, 8, 7)} ${row.map((byte) => byte.toString(8).padStart(3, '0')).join(' ')}`),
    'of characters': rows.map(
      (row, at) => `${offset(at, 8, 7)}${row.map((byte) => (byte === 10 ? '\\n' : String.fromCharCode(byte)).padStart(4)).join('')}`,
    ),
  };
  for (const [title, lines] of Object.entries(dumps)) {
    const text = `$ dump\n${lines.join('\n')}\nend\n`;
    const clean = `$ dump\n⟨secret:A⟩\n${lines[3]}\nend\n`;
    test(`${title}, the lines of the secret are covered`, () => expect(matcher.redact(text)).toBe(clean));
    // Blanks at the beginning of a line reveal nothing, so they pass.
    test(`${title}, they are when it comes sign by sign`, () => expect(bySign(matcher, text).replace(/^ +(?=⟨)/m, '')).toBe(clean));
  }
});

test('a short password is covered as it is, quoted and encoded, but not for its letters alone', () => {
  expect(matcher.redact('hunter2!x hun\nter2!x hunter2%21x hunter2\\!x hunter2x HUNTER2!X')).toBe(
    '⟨secret:PASSWORD⟩ ⟨secret:PASSWORD⟩ ⟨secret:PASSWORD⟩ ⟨secret:PASSWORD⟩ hunter2x HUNTER2!X',
  );
  expect(matcher.redact(base64('hunter2!x'))).toBe('⟨secret:PASSWORD⟩');
});

test('a password of six or seven characters is covered where nothing touches it, and encoded', () => {
  const short = createSecretMatcher(named({ PIN: 'hunt3r' }));
  const text = 'PIN=hunt3r "hunt3r" hunt3rs ahunt3r x:hunt3r@db hunt3r';
  const clean = 'PIN=⟨secret:PIN⟩ "⟨secret:PIN⟩" hunt3rs ahunt3r x:⟨secret:PIN⟩@db ⟨secret:PIN⟩';
  expect(short.redact(text)).toBe(clean);
  // The matcher does not search the text before a piece again.
  expect(bySign(short, text.replace(' ahunt3r', ''))).toBe(clean.replace(' ahunt3r', ''));
  expect(short.redact(`${base64('hunt3r')} ${Buffer.from('hunt3r').toString('hex')}`)).toBe('⟨secret:PIN⟩ ⟨secret:PIN⟩');
});

test('a secret of signs is covered as it is and in its usual quotings', () => {
  expect(matcher.redact(`!@#$%^&*() ${encodeURIComponent('!@#$%^&*()')} ${base64('!@#$%^&*()')}`)).toBe(
    '⟨secret:SIGNS⟩ ⟨secret:SIGNS⟩ ⟨secret:SIGNS⟩',
  );
});

test('a secret with letters beyond ASCII is covered, as bytes too', () => {
  expect(matcher.redact('at Grünkohl-am-Meer-9!')).toBe('at ⟨secret:WORDS⟩!');
  const stream = matcher.stream({ bytes: true });
  const clean = stream.push(Buffer.from('\xff Grünkohl-am-Meer-9!').toString('latin1')) + stream.end();
  expect(Buffer.from(clean, 'latin1').toString()).toBe('\xff ⟨secret:WORDS⟩!');
});

test('of a secret with few letters the bytes beyond ASCII may be written as escapes', () => {
  const value = 'pä$$w0rd→ünï-Q7x';
  const few = createSecretMatcher(named({ A: value }));
  const escaped = (write: (byte: number) => string): string =>
    [...Buffer.from(value)].map((byte) => (byte > 126 ? write(byte) : String.fromCharCode(byte))).join('');
  const forms = [
    encodeURIComponent(value),
    encodeURI(value),
    escaped((byte) => `\\x${byte.toString(16)}`),
    escaped((byte) => `\\${byte.toString(8)}`),
  ];
  expect(forms.map((form) => few.redact(`a ${form} b`))).toEqual(forms.map(() => 'a ⟨secret:A⟩ b'));
  expect(few.redact('p%C3%A5$$w0rd→ünï-Q7x')).toBe('p%C3%A5$$w0rd→ünï-Q7x');
});

test('of a secret that begins with another one nothing is left', () => {
  const both = createSecretMatcher(named({ SHORT: 'zebra-zebra', LONG: 'zebra-zebra-zebra' }));
  expect(both.redact('zebra-zebra-zebra zebra-zebra')).toBe('⟨secret:LONG⟩ ⟨secret:SHORT⟩');
  expect(bySign(both, 'zebra-zebra-zebra zebra-zebra')).toBe('⟨secret:LONG⟩ ⟨secret:SHORT⟩');
});

test('two secrets side by side are two', () => {
  const two = createSecretMatcher(named({ A: 'first-secret-1', B: 'second-secret-2' }));
  expect(two.redact('first-secret-1second-secret-2first-secret-1')).toBe('⟨secret:A⟩⟨secret:B⟩⟨secret:A⟩');
});

test('a placeholder stays as it is, whatever its name', () => {
  const odd = createSecretMatcher(named({ A: 'NAME_OF_A_KEY' }));
  expect(odd.redact('⟨secret:NAME_OF_A_KEY⟩ NAME_OF_A_KEY')).toBe('⟨secret:NAME_OF_A_KEY⟩ ⟨secret:A⟩');
});

test('a key of many lines is one secret, and a line of it is covered alone', () => {
  const lines = Array.from({ length: 5 }, (_, at) => base64(`line ${at} of a key ${'qwertzuiop'.slice(at)}${at * 7919}`));
  const key = createSecretMatcher(named({ KEY: lines.join('\n') }));
  expect(key.redact(`-----BEGIN\n${lines.join('\n')}\n-----END`)).toBe('-----BEGIN\n⟨secret:KEY⟩\n-----END');
  expect(bySign(key, `-----BEGIN\n${lines.join('\n')}\n-----END`)).toBe('-----BEGIN\n⟨secret:KEY⟩\n-----END');
  expect(key.redact(`x ${lines[3]} y`)).toBe('x ⟨secret:KEY⟩ y');
});

test('each line of a key is found behind numbers and names, also where its line ends were known as written out', () => {
  const body = ['MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn', 'ygWyF8PbnGy0AHB7MaTEaoFyCw8q2x1', 'Q2ZtVXq9mPw4kRs7bTnLcYdHfJgKeAv'];
  const key = ['-----BEGIN PRIVATE KEY-----', ...body, '-----END PRIVATE KEY-----'];
  for (const value of [key.join('\n'), `${key.join('\\n')}\\n`]) {
    const matcher = createSecretMatcher(named({ KEY: value }));
    const written = [
      key.map((line, at) => `${String(at + 1).padStart(6)}\t${line}`),
      key.map((line, at) => `id_rsa:${at + 1}:${line}`),
      key.map((line) => `> ${line}$`),
      key,
      [key.join('\\n')],
    ];
    for (const lines of written) {
      for (const text of [matcher.redact(lines.join('\n')), bySign(matcher, lines.join('\n'))])
        expect(body.filter((line) => text.includes(line.slice(0, 12)) || text.includes(line.slice(-12)))).toEqual([]);
    }
  }
});

test('a value too long to be looked for whole is found wherever it begins', () => {
  const long = Array.from({ length: 90 }, (_, at) => `${at * 104729}x`).join('');
  const matcher = createSecretMatcher(named({ LONG: long }));
  expect(matcher.redact(`<${long}>`)).toBe('<⟨secret:LONG⟩>');
});

test('without secrets a text is what it was', () => {
  expect(createSecretMatcher([]).redact('anything')).toBe('anything');
});

test('a sequence for the terminal that never ends holds nothing back for good', () => {
  const stream = matcher.stream();
  let told = stream.push('a \x1b]0;');
  for (let at = 0; at < 200; at += 1) told += stream.push('title that goes on and on, '.repeat(4));
  expect(told.length).toBeGreaterThan(10_000);
});

test('a secret over and over is covered, whole and in pieces, and none of it is held for ever', () => {
  const digits = createSecretMatcher(named({ DIGITS: '3'.repeat(64) }));
  const stream = digits.stream();
  const told = Array.from({ length: 200 }, () => stream.push('3'.repeat(100)));
  expect(told.slice(0, -1).join('').replaceAll('⟨secret:DIGITS⟩', '')).toBe('');
  expect(told.filter((text) => text !== '').length).toBeGreaterThan(20);
  expect(stream.end().replaceAll('⟨secret:DIGITS⟩', '')).toBe('');
  expect(digits.redact('3'.repeat(20_000))).toBe('⟨secret:DIGITS⟩');
});

test('a text that was made to take long is searched to its end, and only the secret in it is covered', () => {
  const value = '3'.repeat(500);
  const digits = createSecretMatcher(named({ DIGITS: value }));
  for (const begun of [`${'%33'.repeat(160)}x `.repeat(100), `${value.slice(1)}x `.repeat(1000)])
    expect(digits.redact(`${begun}${value} and ${'%33'.repeat(500)}`)).toBe(`${begun}⟨secret:DIGITS⟩ and ⟨secret:DIGITS⟩`);
});

test('a dump with names for what is no letter (od -a) shows none of a secret', () => {
  const value = 'sk live\tq8Wz7Rm2Kd5';
  const text = `A=b\nTOKEN=${value}\nEND\n`;
  const names: Readonly<Record<string, string>> = { '\n': 'nl', '\t': 'ht', ' ': 'sp' };
  const lines = (text.match(/[\s\S]{1,16}/g) ?? []).map((part, at) => {
    const cells = [...part].map((sign) => (names[sign] ?? sign).padStart(4)).join('');
    return `${(at * 16).toString(8).padStart(7, '0')}${cells}`;
  });
  const shown = createSecretMatcher(named({ TOKEN: value })).redact(`${lines.join('\n')}\n0000043\n`);
  expect(shown).toContain('⟨secret:TOKEN⟩');
  expect(shown.replace(/[^A-Za-z0-9]/g, '')).not.toMatch(/live|q8W|z7R|m2K|Kd5/);
});
