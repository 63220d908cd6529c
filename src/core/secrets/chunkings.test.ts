import { expect, test } from 'bun:test';
import { streamPieces } from './live-stream.ts';
import { createSecretMatcher } from './matcher.ts';
import type { Secret } from './secret.ts';

/** The nightly run looks with another seed, and at more, for what this one does not find. */
const SEED = Number(process.env.AISH_SECRET_SEED ?? 20_261_121);
const RUNS = Number(process.env.AISH_SECRET_RUNS ?? 160);
/** The machine may have much else to do. */
const LONG = RUNS > 160 ? 3_600_000 : 120_000;

type Random = (below: number) => number;

function createRandom(seed: number): Random {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-.!$&%"\'\\';
const FILLER =
  'the quick brown fox jumps over 12 lazy dogs; if (a && b) { return "x\\n"; } 100% sure <p> http://a.example/b?c=d%20e '.split(' ');

function draw(random: Random, length: number): string {
  return Array.from({ length }, () => SIGNS[random(SIGNS.length)]).join('');
}

function filler(random: Random): string {
  return Array.from({ length: random(12) }, () => FILLER[random(FILLER.length)]).join(random(4) === 0 ? '\n' : ' ');
}

type Encode = (value: string, random: Random) => string;

const pick = (random: Random, from: readonly string[]): string => from[random(from.length)] ?? '';
const hex = (sign: string): string => sign.charCodeAt(0).toString(16).padStart(2, '0');
const between = (value: string, toSign: () => string): string => [...value].map((sign) => sign + toSign()).join('');

const ENCODINGS: Readonly<Record<string, Encode>> = {
  plain: (value) => value,
  base64: (value, random) => Buffer.from(draw(random, random(9)) + value + draw(random, random(9))).toString('base64'),
  base64Twice: (value, random) =>
    Buffer.from(`${draw(random, random(3))}${Buffer.from(draw(random, random(3)) + value).toString('base64')}\n`).toString('base64'),
  base64OfHex: (value, random) => Buffer.from(draw(random, random(3)) + Buffer.from(value).toString('hex')).toString('base64'),
  base64InHex: (value, random) => Buffer.from(Buffer.from(draw(random, random(3)) + value).toString('base64')).toString('hex'),
  base64url: (value, random) => Buffer.from(draw(random, random(9)) + value).toString('base64url'),
  wrapped: (value, random) =>
    Buffer.from(value)
      .toString('base64')
      .replace(new RegExp(`(.{${4 + random(60)}})`, 'g'), '$1\n'),
  escapedHex: (value) => [...value].map((sign) => `\\x${hex(sign)}`).join(''),
  hex: (value) => Buffer.from(value).toString('hex'),
  spacedHex: (value, random) => {
    const separator = pick(random, [' ', ':', ', ', '\n', '-']);
    return [...value].map(hex).join(separator).toUpperCase();
  },
  url: (value, random) => [...value].map((sign) => (/\w/.test(sign) && random(3) > 0 ? sign : `%${hex(sign)}`)).join(''),
  json: (value) => JSON.stringify(value).slice(1, -1),
  shell: (value) => value.replaceAll("'", "'\\''"),
  double: (value) => value.replace(/["$`\\]/g, '\\$&'),
  html: (value) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
  colours: (value, random) => between(value, () => `\x1b[${random(108)}m`),
  lines: (value, random) => between(value, () => (random(8) === 0 ? '\n' : '')),
  spaced: (value, random) => [...value].join(pick(random, [' ', '-', '.', ' | ', '\t', '", "'])),
  pieces: (value, random) => {
    const at = 4 + random(value.length - 8);
    return `${value.slice(0, at)}${pick(random, ['" + "', "' . '", '" "', '"\n  "', '"+\n\t"'])}${value.slice(at)}`;
  },
  reversed: (value) => [...value].toReversed().join(''),
  octal: (value) => [...value].map((sign) => `\\${sign.charCodeAt(0).toString(8).padStart(3, '0')}`).join(''),
  numbers: (value) => [...value].map((sign) => sign.charCodeAt(0)).join(', '),
};

/** Pieces that together are the text. */
function cut(text: string, random: Random): string[] {
  const pieces: string[] = [];
  const most = pick(random, ['1', '3', '17', '200']);
  for (let at = 0; at < text.length; ) {
    const length = 1 + random(Number(most));
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

/** The number of letters of a secret allowed in ten signs: in a live stream, its first three may pass. */
const TWO = /(?:[0-9A-Za-z].*){2}/s;
const FOUR = /(?:[0-9A-Za-z].*){4}/s;

/** Ten letters of what stood for a secret, apart from its ends, which may be those of what was encoded with it. */
function leaks(told: string, encoded: string, ends: number, letters: RegExp): string[] {
  const windows: string[] = [];
  for (let at = ends; at + 10 <= encoded.length - ends; at += 1) windows.push(encoded.slice(at, at + 10));
  // A few signs between letters of a secret, such as a colour, tell nothing.
  return windows.filter((window) => letters.test(window) && told.includes(window));
}

test(
  `of ${RUNS} secrets in random encodings and pieces no byte is told (seed ${SEED})`,
  () => {
    const random = createRandom(SEED);
    const kinds = Object.keys(ENCODINGS);
    for (let run = 0; run < RUNS; run += 1) {
      const secrets: Secret[] = Array.from({ length: 1 + random(4) }, (_, at) => ({
        name: `S${at}`,
        value: `${pick(random, ['k', 'Q', '7'])}${draw(random, 20 + random(40))}4aZ9`,
        from: 'test',
      }));
      const kind = kinds[run % kinds.length] ?? 'plain';
      const secret = secrets[random(secrets.length)];
      const encoded = ENCODINGS[kind]?.(secret?.value ?? '', random) ?? '';
      const [before, after] = [filler(random), filler(random)];
      const stream = createSecretMatcher(secrets).stream();
      const told =
        cut(`${before}\n${encoded}\n${after}`, random)
          .map((piece) => stream.push(piece))
          .join('') + stream.end();
      const live = streamPieces(createSecretMatcher(secrets).take, { live: true });
      const seen =
        cut(`${before}\n${encoded}\n${after}`, random)
          .map((piece) => live.push(piece) + live.pause())
          .join('') + live.end();
      for (const [text, letters] of [
        [told, TWO],
        [seen, FOUR],
      ] as const) {
        const found = leaks(text, encoded, kind.startsWith('base64') ? 14 : 2, letters);
        expect({ run, kind, value: secret?.value, text, found }).toEqual({
          run,
          kind,
          value: secret?.value,
          text,
          found: [],
        });
        expect(text.startsWith(before)).toBe(true);
        expect(text.endsWith(after)).toBe(true);
        expect(text).toContain(`⟨secret:${secret?.name}⟩`);
      }
    }
  },
  LONG,
);

test(
  `of ${RUNS} texts without a secret each comes out as it was, in whatever pieces (seed ${SEED})`,
  () => {
    const random = createRandom(SEED + 1);
    const secrets = Array.from({ length: 20 }, (_, at) => ({
      name: `S${at}`,
      value: draw(random, 12 + random(50)),
      from: 'test',
    }));
    const matcher = createSecretMatcher(secrets);
    for (let run = 0; run < RUNS; run += 1) {
      const text = Array.from({ length: 6 }, () => (random(3) === 0 ? draw(random, random(60)) : filler(random))).join(
        pick(random, ['\n', ' ', '\x1b[1m', '%', '\\', '\n000000']),
      );
      const bytes = random(2) === 0;
      const stream = matcher.stream({ bytes });
      const live = streamPieces((piece, how) => matcher.take(piece, { ...how, bytes }), { live: true });
      const pieces = cut(text, random);
      expect(pieces.map((piece) => stream.push(piece)).join('') + stream.end()).toBe(text);
      expect(pieces.map((piece) => live.push(piece) + live.pause()).join('') + live.end()).toBe(text);
    }
  },
  LONG,
);
