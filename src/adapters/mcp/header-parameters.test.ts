import { expect, test } from 'bun:test';
import type { JsonObject } from '../../protocol/json.ts';
import { findHeaderFault } from './header-parameters.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more });
const mark = (name: unknown, type = 'string'): JsonObject => ({ type, 'x-mcp-header': name as string });

test('a mark on a plain property is right at any depth, and a schema without marks is too', () => {
  const schemas = [
    object({ region: mark('Region'), n: mark('N', 'integer'), deep: object({ flag: mark('Flag', 'boolean') }) }),
    object({ a: { type: 'string' } }),
    object({ a: { type: 'object', default: { 'x-mcp-header': '' } } }),
  ];
  expect(schemas.map(findHeaderFault)).toEqual([null, null, null]);
});

test('each way to break the rule of marks has its code', () => {
  const schemas: Record<string, JsonObject> = {
    empty: object({ a: mark('') }),
    blank: object({ a: mark('My Region') }),
    control: object({ a: mark('a\r\nb') }),
    number: object({ a: mark('A', 'number') }),
    object: object({ a: mark('A', 'object') }),
    twice: object({ a: mark('Region'), b: mark('region') }),
    root: object({}, { 'x-mcp-header': 'A' }),
    items: object({ list: { type: 'array', items: mark('A') } }),
    choice: object({ a: { oneOf: [mark('A')] } }),
    definition: object({}, { $defs: { a: mark('A') } }),
  };
  expect(Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, findHeaderFault(schema)]))).toEqual({
    empty: 'name',
    blank: 'name',
    control: 'name',
    number: 'type',
    object: 'type',
    twice: 'twice',
    root: 'place',
    items: 'place',
    choice: 'place',
    definition: 'place',
  });
});
