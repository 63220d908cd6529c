import { expect, test } from 'bun:test';
import { CanarySearch, randomFrom, word } from './canaries.ts';
import { ENCODINGS } from './encodings.ts';

const random = randomFrom(7);
const value = `${word(random, 20)}/${word(random, 20)}+=`;
const search = new CanarySearch([{ name: 'it', value }]);

test.each(ENCODINGS.map(({ name, encode }) => ({ name, encode })))('a canary is found as $name', ({ encode }) => {
  const missed = Array.from({ length: 50 }, () => `before ${encode(value, random)} behind`).filter(
    (text) => search.in(text, 'here').length === 0,
  );
  expect(missed).toEqual([]);
});

test('a part of a canary is found, and other text is not', () => {
  const found = [value.slice(3, 18), value.slice(3, 10), word(random, 4000)].map((text) => search.in(text, '').length);
  expect(found).toEqual([1, 0, 0]);
});
