import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { sha256 } from './sha256.ts';

test('the hash is the one everybody else computes, at every length around a block', () => {
  const texts = Array.from({ length: 140 }, (_, length) => 'aé日🙂\0'.repeat(30).slice(0, length));
  expect(texts.map(sha256)).toEqual(texts.map((text) => createHash('sha256').update(text).digest('hex')));
});
