import { describe, expect, test } from 'bun:test';
import { commonStart, compareNames, takeBestFits } from './completion.ts';

const best = (names: readonly string[], typed: string) => takeBestFits(names, typed, (name) => name);

describe('takeBestFits', () => {
  test('takes names that begin as typed, in their order', () => {
    expect(best(['make', 'Makefile', 'main'], 'ma')).toEqual(['make', 'main']);
  });
  test('takes another letter case where no name begins as typed', () => {
    expect(best(['Documents', 'Downloads', 'a-do'], 'do')).toEqual(['Documents', 'Downloads']);
  });
  test('takes a part of the name where none begins so', () => {
    expect(best(['feature/login', 'fix/log'], 'log')).toEqual(['fix/log', 'feature/login']);
  });
  test('takes the same letters in order where nothing else fits, beginnings of words first', () => {
    expect(best(['checkout-xyz', 'cherry-pick', 'c-helper-parts'], 'chp')).toEqual(['cherry-pick', 'c-helper-parts']);
  });
  test('takes nothing that lacks a letter', () => expect(best(['abc'], 'abd')).toEqual([]));
});

test('names are ordered without regard to case, numbers by size, hidden ones last', () => {
  expect(['b', '.a', 'A10', 'a9', 'C'].sort(compareNames)).toEqual(['a9', 'A10', 'b', 'C', '.a']);
});

describe('commonStart', () => {
  test('never ends between a backslash and what it protects', () => {
    expect(commonStart(['a\\ b', 'a\\(c'])).toBe('a');
  });
  test('never ends inside of ANSI-C quotes', () => {
    expect(commonStart(["a$'\\x1b'b", "a$'\\x1c'b"])).toBe('a');
  });
  test('is the whole of a single text', () => expect(commonStart(['abc'])).toBe('abc'));
});
