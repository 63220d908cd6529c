import { expect, test } from 'bun:test';
import { describeChanges, findReplaced, toToolListing } from './tool-definition.ts';

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
