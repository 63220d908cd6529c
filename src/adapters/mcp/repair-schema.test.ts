import { expect, test } from 'bun:test';
import { repairSchema } from './repair-schema.ts';

test('a good schema comes back as it was, references included', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { $ref: '#/$defs/x' },
      b: { type: ['string', 'null'] },
      c: { anyOf: [{ type: 'integer' }, { const: 'all' }] },
    },
    required: ['a'],
    additionalProperties: false,
    $defs: { x: { type: 'string', enum: ['type', '$ref'] } },
  };
  expect<unknown>(repairSchema(schema)).toEqual({ schema, warnings: [] });
});

test('a dangling or remote reference becomes a schema for anything that keeps its description', () => {
  const properties = { a: { $ref: '#/$defs/none', description: 'who' }, b: { $ref: 'https://example.com/schema' } };
  expect(repairSchema({ type: 'object', properties })).toEqual({
    schema: { type: 'object', properties: { a: { description: 'who' }, b: {} } },
    warnings: [
      'has a $ref to the missing "#/$defs/none" in its input schema; aish dropped it',
      'has a $ref to the missing "https://example.com/schema" in its input schema; aish dropped it',
    ],
  });
});

test('unknown types, boolean parts and misplaced keywords are taken out', () => {
  const properties = {
    a: { type: 'date' },
    b: true,
    c: { type: ['string', 'file'] },
    d: { type: 'string', required: true },
    e: 'text',
  };
  expect(repairSchema({ properties }).schema).toEqual({
    properties: { a: {}, b: {}, c: { type: 'string' }, d: { type: 'string' }, e: {} },
    type: 'object',
  });
});

test('a property that is called like a keyword is a property', () => {
  const schema = {
    type: 'object',
    properties: { type: { type: 'string' }, required: { type: 'boolean' }, $ref: { type: 'number' } },
  };
  expect<unknown>(repairSchema(schema)).toEqual({ schema, warnings: [] });
});

test('what cannot be a schema of arguments is replaced by an object of anything', () => {
  const empty = { type: 'object', properties: {} };
  expect([undefined, 'x', { type: 'array', items: {} }, {}].map((input) => repairSchema(input).schema)).toEqual([
    empty,
    empty,
    empty,
    empty,
  ]);
});

test('a schema nested a thousand levels deep is cut and not followed', () => {
  let schema: object = { type: 'string' };
  for (let depth = 0; depth < 1000; depth += 1) schema = { type: 'object', properties: { deeper: schema } };
  expect(repairSchema(schema).warnings).toEqual([
    'has parts nested deeper than 48 in its input schema; aish dropped it',
  ]);
});
