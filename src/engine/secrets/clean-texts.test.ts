import { expect, test } from 'bun:test';
import { CleanTexts } from './secret-store.ts';

function create(): CleanTexts {
  return new CleanTexts({ shortest: 3, longest: 10, most: 32 });
}

test('a text is known to be clean as long as no more is known', () => {
  const texts = create();
  const [known, more] = [{}, {}];
  texts.add('ls -l', known);
  expect([texts.has('ls -l', known), texts.has('pwd', known), texts.has('ls -l', more)]).toEqual([true, false, false]);
});

test('what was clean before more was known is looked through anew', () => {
  const texts = create();
  const [known, more] = [{}, {}];
  texts.add('ls -l', known);
  texts.add('pwd', more);
  expect([texts.has('ls -l', known), texts.has('ls -l', more), texts.has('pwd', more)]).toEqual([false, false, true]);
});

test('only a few texts are kept, the newest', () => {
  const texts = create();
  const known = {};
  for (let number = 0; number < 40; number += 1) texts.add(`line ${number}`, known);
  expect(['line 0', 'line 7', 'line 8', 'line 39'].map((text) => texts.has(text, known))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('a text that is too short or too long is not kept', () => {
  const texts = create();
  const known = {};
  const all = ['ls', 'pwd', 'a'.repeat(10), 'a'.repeat(11)];
  for (const text of all) texts.add(text, known);
  expect(all.map((text) => texts.has(text, known))).toEqual([false, true, true, false]);
});
