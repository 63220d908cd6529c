import { expect, test } from 'bun:test';
import type { Form } from '../../protocol/form.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { findFormProblem, formatPreset, readForm, readValue } from './form.ts';

function formOf(properties: JsonObject, required: readonly string[] = []): Form | null {
  const schema = { type: 'object', properties, required: [...required] };
  return readForm({ mode: 'form', alias: 'notes', message: 'Who?', schema });
}

/** Reads each typed text for the only field. */
function read(schema: JsonObject, typed: readonly string[], isRequired = false): readonly unknown[] {
  const field = formOf({ a: schema }, isRequired ? ['a'] : [])?.fields[0];
  if (field === undefined) throw new Error('not a form');
  return typed.map((text) => {
    const value = readValue(field, text);
    return value.ok ? value.value : { problem: value.problem };
  });
}

test('each kind of field of the flat schema of MCP', () => {
  const form = formOf(
    {
      name: { type: 'string', title: 'Your name', description: 'In full.', minLength: 2, maxLength: 9, default: 'Ada' },
      mail: { type: 'string', format: 'email' },
      odd: { type: 'string', format: 'made-up' },
      age: { type: 'integer', minimum: 1, maximum: 99, default: 3 },
      weight: { type: 'number' },
      agreed: { type: 'boolean', default: false },
      plain: { type: 'string', enum: ['x', 'y'], default: 'y' },
      named: { type: 'string', enum: ['x', 'y'], enumNames: ['An x'] },
      titled: { type: 'string', oneOf: [{ const: 'x', title: 'The x' }] },
      several: { type: 'array', minItems: 1, items: { type: 'string', enum: ['x', 'y'] }, default: ['y'] },
      titles: { type: 'array', items: { anyOf: [{ const: 'x', title: 'The x' }] } },
    },
    ['name'],
  );
  expect(form).toMatchSnapshot();
  expect(form?.fields.map(formatPreset)).toEqual(['Ada', '', '', '3', '', 'no', '2', '', '', '2', '']);
});

test.each([
  [{ a: { type: 'object', properties: {} } }],
  [{ a: { type: 'array', items: { type: 'object' } } }],
  [{ a: { type: 'string', enum: [] } }],
  [{ a: { type: 'string', oneOf: [{ title: 'no value' }] } }],
  [{ a: 'text' }],
  [Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`f${at}`, { type: 'string' }]))],
])('what the flat schema does not allow is no form: %j', (properties) => {
  expect(formOf(properties)).toBeNull();
});

test.each([
  ['https://example.org/a?b', true],
  ['http://localhost:1/', true],
  ['javascript:alert(1)', false],
  ['file:///etc/passwd', false],
  ['https:// example.org', false],
  ['https://example.org@other.example/', false],
  ['https://example.org\\@other.example/', false],
])('the address %s may be shown: %p', (url, isShown) => {
  const form = readForm({ mode: 'url', alias: 'notes', message: 'Go.', url });
  expect(form).toEqual(isShown ? { server: 'notes', message: 'Go.', fields: [], url } : null);
});

test('typed values are checked against their field', () => {
  expect({
    text: read({ type: 'string', minLength: 2, maxLength: 3 }, ['a', ' ab ', 'abcd', '', '😀😀']),
    email: read({ type: 'string', format: 'email' }, ['a@b', 'a', 'a b@c']),
    uri: read({ type: 'string', format: 'uri' }, ['https://a.example', 'no']),
    date: read({ type: 'string', format: 'date' }, ['2026-02-28', '2026-02-30', 'today']),
    time: read({ type: 'string', format: 'date-time' }, ['2026-02-28T12:00:00Z', '2026-02-28', '2026-02-28T25:00:00Z']),
    integer: read({ type: 'integer', minimum: 1, maximum: 9 }, ['1', '1.5', '0', '0x1', 'Infinity', '']),
    number: read({ type: 'number' }, ['1.5', '-2e3', 'NaN', '1,5']),
    boolean: read({ type: 'boolean' }, ['y', 'No', 'TRUE', '1']),
    choice: read({ type: 'string', enum: ['x', 'why'] }, ['2', 'WHY', 'x', '3', '0', 'z']),
    choices: read({ type: 'array', maxItems: 2, items: { type: 'string', enum: ['x', 'y', 'z'] } }, ['1 2', 'x, z', '1 1', '1 2 3', '4']),
    required: read({ type: 'string' }, ['', 'a'], true),
  }).toMatchSnapshot();
});

test('values that come from elsewhere are checked as a whole', () => {
  const form = formOf({ name: { type: 'string' }, age: { type: 'integer' }, many: { type: 'array', items: { enum: ['x'] } } }, ['name']);
  if (form === null) throw new Error('not a form');
  expect([
    findFormProblem(form, { name: 'Ada', age: 3, many: ['x'] }),
    findFormProblem(form, { name: 'Ada' }),
    findFormProblem(form, {}),
    findFormProblem(form, { name: 3 }),
    findFormProblem(form, { name: 'Ada', age: '3' }),
    findFormProblem(form, { name: 'Ada', many: ['y'] }),
    findFormProblem(form, { name: 'Ada', more: 'x' }),
    findFormProblem(form, { name: 'Ada', toString: 'x' }),
  ]).toEqual([
    null,
    null,
    'name: a value is required',
    'name: expected text',
    'age: expected a whole number',
    'many: expected numbers from 1 to 1',
    'the form has no field "more"',
    'the form has no field "toString"',
  ]);
});
