import { expect, test } from 'bun:test';
import { toCurrentPath } from './own-program.ts';

test('a program that was replaced is found under its plain path', () => {
  expect(toCurrentPath('/nowhere/aish (deleted)')).toBe('/nowhere/aish');
  expect(toCurrentPath(process.execPath)).toBe(process.execPath);
});
