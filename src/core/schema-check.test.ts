import { expect, test } from 'bun:test';
import { checkArguments } from './schema-check.ts';

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, count: { type: ['integer', 'null'] }, any: {} },
  required: ['path'],
};

test('arguments that fit pass', () => {
  expect(checkArguments({ path: 'a', count: 3, any: [1], extra: true }, schema)).toBeNull();
  expect(checkArguments({ path: 'a', count: null }, schema)).toBeNull();
  expect(checkArguments({}, {})).toBeNull();
});

test('a missing argument is named', () => {
  expect(checkArguments({}, schema)).toBe('the argument "path" is missing');
});

test('a wrong type is named', () => {
  expect(checkArguments({ path: ['a'] }, schema)).toBe('the argument "path" must be of type string, not array');
  expect(checkArguments({ path: 'a', count: 1.5 }, schema)).toBe(
    'the argument "count" must be of type integer or null, not number',
  );
});
