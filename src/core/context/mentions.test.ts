import { expect, test } from 'bun:test';
import { parseMentions } from './mentions.ts';

test('a mention ends before the punctuation of its sentence', () => {
  expect(parseMentions('see @src/a.ts, and (@b.md).')).toEqual([
    { start: 4, end: 13, path: 'src/a.ts', forced: false, sure: true },
    { start: 20, end: 25, path: 'b.md', forced: false, sure: true },
  ]);
});

test('a path with blanks stands in quotes or behind backslashes', () => {
  expect(parseMentions('@"my notes.txt" @my\\ notes.txt').map(({ path, end }) => [path, end])).toEqual([
    ['my notes.txt', 15],
    ['my notes.txt', 30],
  ]);
});

test('lines may be named behind a path, one or from one to another', () => {
  expect(parseMentions('@a.log:10-40 @a.log:7. @"a b":3-5').map(({ lines }) => lines)).toEqual([
    [10, 40],
    [7, 7],
    [3, 5],
  ]);
});

test('an exclamation mark asks for a file that looks like a secret', () => {
  expect(parseMentions('@!.env')).toEqual([{ start: 0, end: 6, path: '.env', forced: true, sure: true }]);
});

test('an address is no mention, and a sign alone is none', () => {
  expect(parseMentions('me@example.org git@host:x.git a/@b.c @ @@x @.')).toEqual([]);
});

test('a name that need not be a file is not surely one', () => {
  expect(parseMentions('@alice @types/node @param @./x @~/y @src/').map(({ path, sure }) => [path, sure])).toEqual([
    ['alice', false],
    ['types/node', false],
    ['param', false],
    ['./x', true],
    ['~/y', true],
    ['src/', false],
  ]);
});
