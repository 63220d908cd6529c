import { expect, test } from 'bun:test';
import type { JsonObject } from '../../protocol/json.ts';
import { describeChanges, findHeaderFault, findReplaced, toToolListing } from './tool-definition.ts';

const schema = { type: 'object', properties: {} };

test('a tool becomes ours with its alias, and one that says that it only reads is not believed', () => {
  const listed = [
    { name: 'b', description: 'Reads', inputSchema: schema, annotations: { readOnlyHint: true } },
    { name: 'a', title: 'A title', inputSchema: schema, annotations: { readOnlyHint: 'yes' } },
    { name: 'c', description: '  ', inputSchema: schema },
  ];
  expect(toToolListing('fs', listed).definitions.map(({ tool }) => tool)).toEqual([
    { name: 'fs.a', description: 'A title', parameters: schema, effect: 'write' },
    { name: 'fs.b', description: 'Reads', parameters: schema, effect: 'write', hint: 'read' },
    { name: 'fs.c', description: 'c', parameters: schema, effect: 'write' },
  ]);
});

test('bad entries cost themselves and are named', () => {
  const listed = [
    null,
    { name: '' },
    { name: 'a b' },
    { name: 'ok', inputSchema: schema },
    { name: 'ok', inputSchema: schema },
  ];
  const { definitions, warnings } = toToolListing('fs', listed);
  expect({ names: definitions.map(({ name }) => name), warnings }).toEqual({
    names: ['ok'],
    warnings: [
      ...Array(3).fill('fs: aish dropped a tool without a usable name'),
      'fs.ok is listed twice; aish uses the first one',
    ],
  });
});

test('a change of annotations counts as a changed definition, a change of key order does not', () => {
  const before = toToolListing('fs', [
    { name: 'a', description: 'x', inputSchema: schema },
    { name: 'b', inputSchema: schema, annotations: { readOnlyHint: false } },
    { name: 'gone', inputSchema: schema },
  ]);
  const after = toToolListing('fs', [
    { inputSchema: schema, description: 'x', name: 'a' },
    { name: 'b', inputSchema: schema, annotations: { readOnlyHint: true } },
    { name: 'new', inputSchema: schema },
  ]);
  expect([...findReplaced(before.definitions, after.definitions)].sort()).toEqual(['fs.b', 'fs.gone']);
  expect(describeChanges('fs', before.definitions, after.definitions)).toEqual([
    'the server changed the definition of fs.b; review it with :mcp tool fs.b',
    'fs has new tools: new',
    'fs no longer has these tools: gone',
  ]);
});

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
