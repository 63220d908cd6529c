import { expect, test } from 'bun:test';
import { withColon } from './meta-line.ts';
import { SHELL_COMMANDS } from './meta-table.ts';

test('the commands about directories work without their colon, unless the shell has one of the name', () => {
  for (const { name } of SHELL_COMMANDS) {
    expect(withColon(` ${name} x`, () => false)).toBe(`:${name} x`);
    expect(withColon(name, (word) => word === name)).toBeNull();
  }
  expect([withColon('zip x', () => false), withColon('z\nx', () => false)]).toEqual([null, null]);
});
