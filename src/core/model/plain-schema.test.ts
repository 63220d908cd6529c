import { expect, test } from 'bun:test';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { isPlainSchema, toPlainSchema } from './plain-schema.ts';

test.each<[schema: Json, plain: JsonObject]>([
  [{ type: ['string', 'integer'] }, { type: 'string' }],
  [{ type: ['null', 'boolean'], default: true }, { type: 'boolean' }],
  [
    { anyOf: [{ type: 'null' }, { type: 'integer' }], description: 'how many' },
    { type: 'integer', description: 'how many' },
  ],
  [{ oneOf: [{ const: 'a' }, { const: 'b' }] }, { type: 'string' }],
  [{ enum: ['a', 'b', null] }, { type: 'string', enum: ['a', 'b'] }],
  [{ type: 'integer', enum: [1, 2], minimum: 1 }, { type: 'integer' }],
  [
    { type: 'array', uniqueItems: true },
    { type: 'array', items: { type: 'string' } },
  ],
  [{ $ref: '#/$defs/x' }, { type: 'string' }],
  [
    { allOf: [{ type: 'object', properties: { a: { type: 'string', format: 'uri' } } }, { required: ['a', 'gone'] }] },
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  ],
])('%j becomes %j', (schema, plain) => {
  expect(toPlainSchema(schema)).toEqual(plain);
  expect([isPlainSchema(schema), isPlainSchema(plain)]).toEqual([false, true]);
});
