import { expect, test } from 'bun:test';
import { CleanTexts } from './clean-texts.ts';

test('a text is known to be clean as long as no more is known', () => {
  const texts = new CleanTexts();
  const [known, more] = [{}, {}];
  texts.add('ls -l', known);
  expect([texts.has('ls -l', known), texts.has('ls', known), texts.has('ls -l', more)]).toEqual([true, false, false]);
});

test('what was clean before more was known is looked through anew', () => {
  const texts = new CleanTexts();
  const [known, more] = [{}, {}];
  texts.add('ls -l', known);
  texts.add('pwd', more);
  expect([texts.has('ls -l', known), texts.has('ls -l', more), texts.has('pwd', more)]).toEqual([false, false, true]);
});

test('only a few texts are kept, the newest, and no long one', () => {
  const texts = new CleanTexts();
  const known = {};
  for (let number = 0; number < 40; number += 1) texts.add(`line ${number}`, known);
  texts.add('a'.repeat(5000), known);
  expect([texts.has('line 0', known), texts.has('line 39', known), texts.has('a'.repeat(5000), known)]).toEqual([
    false,
    true,
    false,
  ]);
});
