import { expect, test } from 'bun:test';
import { parseHandle, parseHandleLine, withColon } from './meta-line.ts';
import { SHELL_COMMANDS } from './meta-table.ts';

test('some commands work without their colon, unless the shell has one of the name', () => {
  for (const { name } of SHELL_COMMANDS) {
    expect(withColon(` ${name} x`, () => false)).toBe(`:${name} x`);
    expect(withColon(name, (word) => word === name)).toBeNull();
  }
  expect([withColon('zip x', () => false), withColon('z\nx', () => false)]).toEqual([null, null]);
});

test.each([
  ['%12', { handle: 12, rest: '' }],
  ['  %12  ', { handle: 12, rest: '' }],
  ['%12 | grep warn', { handle: 12, rest: '| grep warn' }],
  ['%3|wc -l', { handle: 3, rest: '|wc -l' }],
  ['%3 > copy.txt', { handle: 3, rest: '> copy.txt' }],
  ['%1 &', null],
  ['%1 || true', null],
  ['%make', null],
  ['fg %1', null],
  ['100% | x', null],
])('%s is understood', (line, wanted) => {
  expect(parseHandleLine(line)).toEqual(wanted);
});

test('a handle is read with and without its sign', () => {
  expect(['%7', '7', 'c7', '%', ''].map(parseHandle)).toEqual([7, 7, null, null, null]);
});
