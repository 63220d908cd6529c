import { describe, expect, test } from 'bun:test';
import { streamPieces } from './live-stream.ts';
import { createSecretMatcher } from './matcher.ts';

const VALUE = 'k7Qz-Wm4/pX9+vB2=nT6yR8';
const matcher = createSecretMatcher([{ name: 'A', value: VALUE, from: 'test' }]);
const bytes = Buffer.from(VALUE);

/** The output for a text that comes sign by sign, with a pause after each. */
function crawl(text: string): string {
  const stream = streamPieces(matcher.take, { live: true });
  return [...text].map((sign) => stream.push(sign) + stream.pause()).join('') + stream.end();
}

describe('of a secret that comes sign by sign with pauses no more is told than its first letters', () => {
  const forms: Readonly<Record<string, readonly [string, string]>> = {
    'as it is': [VALUE, 'k7Q'],
    'in base64': [bytes.toString('base64').replace(/=*$/, ''), 'azd'],
    'in hex': [bytes.toString('hex'), '6b3'],
    'from its end': [[...VALUE].toReversed().join(''), '8Ry'],
    'with a sign between any two': [[...VALUE].join('|'), 'k|7|Q|'],
    'in escapes': [[...bytes].map((byte) => `%${byte.toString(16)}`).join(''), '%6b%3'],
  };
  for (const [title, [form, beginning]] of Object.entries(forms))
    test(title, () => expect(crawl(`so ${form} it is`)).toBe(`so ${beginning}⟨secret:A⟩ it is`));
});

test('what no secret begins with is told at once, and what one does when something else follows', () => {
  const stream = streamPieces(matcher.take, { live: true });
  const told = ['Here is k', '7Qz', ' or not', ', k7'].map((piece) => stream.push(piece));
  expect(told).toEqual(['Here is k', '', '7Qz or not', ', k7']);
});

test('lines that may be a dump of a secret are told when they are whole', () => {
  const stream = streamPieces(matcher.take, { live: true });
  const line = `00000000: ${bytes.subarray(0, 16).toString('hex')}`;
  const told = ['so\n', line.slice(0, 14), line.slice(14), '\n', `00000010: ${bytes.subarray(16).toString('hex')}`, '\n!'];
  expect(told.map((piece) => stream.push(piece)).join('') + stream.end()).toBe('so\n⟨secret:A⟩\n!');
});
