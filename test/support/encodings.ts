import { below, oneOf } from './canaries.ts';

type Random = () => number;

/** A way to write a text so that it looks like another one. */
export interface Encoding {
  readonly name: string;
  readonly encode: (text: string, random: Random) => string;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The ways in which a shell's programs print a text, by accident or because somebody told them to. */
export const ENCODINGS: readonly [Encoding, ...Encoding[]] = [
  { name: 'plain', encode: (text) => text },
  { name: 'base64', encode: (text, random) => aside(random, text, (all) => Buffer.from(all).toString('base64')) },
  { name: 'base64url', encode: (text, random) => aside(random, text, (all) => Buffer.from(all).toString('base64url')) },
  {
    name: 'base64 in lines',
    encode: (text, random) =>
      inLines(
        aside(random, text, (all) => Buffer.from(all).toString('base64')),
        20 + below(random, 57),
      ),
  },
  { name: 'base32', encode: (text, random) => aside(random, text, toBase32) },
  { name: 'hex', encode: (text) => Buffer.from(text).toString('hex') },
  { name: 'upper hex', encode: (text) => Buffer.from(text).toString('hex').toUpperCase() },
  { name: 'hex with spaces', encode: (text) => each(text, (code) => hex(code)).join(' ') },
  { name: 'xxd', encode: (text) => dump(text, { bytes: 2, digits: 8, colon: ':' }) },
  { name: 'hexdump -C', encode: (text) => dump(text, { bytes: 1, digits: 8, colon: ' ' }) },
  { name: 'url', encode: (text) => encodeURIComponent(text) },
  { name: 'url, all of it', encode: (text) => each(text, (code) => `%${hex(code).toUpperCase()}`).join('') },
  { name: '\\x', encode: (text) => each(text, (code) => `\\x${hex(code)}`).join('') },
  { name: 'octal', encode: (text) => each(text, (code) => `\\${code.toString(8).padStart(3, '0')}`).join('') },
  { name: '\\u', encode: (text) => each(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`).join('') },
  { name: 'entities', encode: (text) => each(text, (code) => `&#${code};`).join('') },
  { name: 'JSON', encode: (text) => JSON.stringify(text) },
  { name: 'reversed', encode: (text) => Array.from(text).reverse().join('') },
  { name: 'split', encode: (text, random) => between(text, random, [' ', '\n', '.', ' & ', "''", '" + "', '\\\n']) },
  { name: 'coloured', encode: (text, random) => between(text, random, ['\x1b[31m', '\x1b[0m', '\x1b[1;4m']) },
];

/** Encodes a text with something beside it, so that it begins anywhere in a group of bits. */
function aside(random: Random, text: string, encode: (all: string) => string): string {
  return encode(`${'key='.slice(below(random, 5))}${text}${';'.repeat(below(random, 3))}`);
}

function toBase32(text: string): string {
  const bits = each(text, (code) => code.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

function each<T>(text: string, map: (code: number) => T): T[] {
  return Array.from(Buffer.from(text), map);
}

function hex(code: number): string {
  return code.toString(16).padStart(2, '0');
}

function inLines(text: string, width: number): string {
  return (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n');
}

/** Puts one separator between the characters here and there. */
function between(text: string, random: Random, separators: readonly [string, ...string[]]): string {
  const separator = oneOf(random, separators);
  const width = 1 + below(random, 6);
  return Array.from(text)
    .map((character, at) => (at > 0 && at % width === 0 ? separator + character : character))
    .join('');
}

/** Lines as programs for dumps print them. */
function dump(
  text: string,
  layout: { readonly bytes: number; readonly digits: number; readonly colon: string },
): string {
  const bytes = Buffer.from(text);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.subarray(at, at + 16);
    const groups = Array.from({ length: Math.ceil(row.length / layout.bytes) }, (_, group) =>
      row.subarray(group * layout.bytes, (group + 1) * layout.bytes).toString('hex'),
    );
    const shown = row.toString('latin1').replace(/[^ -~]/g, '.');
    const right = layout.bytes === 1 ? `|${shown}|` : shown;
    lines.push(
      `${at.toString(16).padStart(layout.digits, '0')}${layout.colon} ${groups.join(' ').padEnd(48)} ${right}`,
    );
  }
  return `\n${lines.join('\n')}\n`;
}

/** A text in pieces of random lengths, none empty. */
export function inPieces(random: Random, text: string, longest: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + below(random, longest);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}
