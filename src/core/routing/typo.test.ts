import { expect, test } from 'bun:test';
import { isOneTypo, meantCommands, onOtherLayout, plainWidth } from './typo.ts';

test.each([
  ['gti', 'git', true],
  ['mkae', 'make', true],
  ['sl', 'ls', true],
  ['gitt', 'git', true],
  ['gi', 'git', true],
  ['git', 'git', false],
  ['great', 'grep', false],
])('%p for %p: %p', (typed, meant, expected) => expect(isOneTypo(typed, meant)).toBe(expected));

test('only commands that exist are meant', () => {
  expect(meantCommands('dokcer', (word) => word === 'docker', { alone: true })).toEqual(['docker']);
  expect(meantCommands('dokcer', () => false, { alone: true })).toEqual([]);
});

test('the keys of another layout are read as Latin ones', () => {
  expect(onOtherLayout('пше', 0)).toBe('git');
  expect(onOtherLayout('햐ㅅ', 5)).toBe('git');
});

test('full width and blanks without room are made plain', () => expect(plainWidth('ｌｓ　-la\u200b')).toBe('ls -la'));
