import { expect, test } from 'bun:test';
import { readWordLists } from './words.ts';

test('a list of words ends where the next one begins, and remarks are none', () => {
  const listOf = readWordLists('# all\n\n[small words]\na an\nthe a\n\n[greetings]\n# German\nhallo\n# French\nsalut\n');
  expect([...listOf('small words')]).toEqual(['a', 'an', 'the']);
  expect([...listOf('greetings')]).toEqual(['hallo', 'salut']);
  expect(() => listOf('large words')).toThrow('no list of words: large words');
});
