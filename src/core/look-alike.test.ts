import { expect, test } from 'bun:test';
import { findLookAlike, spellLookAlikes, spellName } from './look-alike.ts';

test.each([
  ['a Cyrillic letter in a Latin word', 're\u0430d it', 're<U+0430>d it'],
  ['letters made for formulas', '\u{1d42b}ead', '<U+1D42B>ead'],
  [
    'words of one script stay',
    '\u0441\u043e\u0440\u0443 Größe naïve 読む',
    '\u0441\u043e\u0440\u0443 Größe naïve 読む',
  ],
])('%s', (_, text, shown) => {
  expect(spellLookAlikes(text)).toBe(shown);
});

test('nothing in a name passes for a plain letter', () => {
  expect(spellName('\u0441\u043e\u0440\u0443')).toBe('<U+0441><U+043E><U+0440><U+0443>');
});

test.each([
  ['read-file', 'read_file'],
  ['re\u0430d_file', 'read_file'],
  ['ReadFile', 'read_file'],
  ['get_b1ll', 'get_bill'],
  ['\uff52ead_file', 'read_file'],
])('%s can be taken for %s', (name, other) => {
  expect(findLookAlike(name, ['other', name, other])).toBe(other);
});

test('a name of its own is taken for no other', () => {
  expect(findLookAlike('read_file', ['read_file', 'read_files', 'write_file'])).toBeNull();
});
