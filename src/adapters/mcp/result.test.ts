import { expect, test } from 'bun:test';
import { toToolResult } from './result.ts';

test('blocks keep their order, and what is no text is named with its kind and size', () => {
  const content = [
    { type: 'text', text: 'before' },
    { type: 'image', mimeType: 'image/png', data: 'A'.repeat(45_336) },
    { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
    { type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/plain' },
    { type: 'resource', resource: { uri: 'test://b', text: 'inside' } },
    { type: 'resource', resource: { uri: 'test://c', mimeType: 'application/pdf', blob: 'AAAAAAAA' } },
    { type: 'text', text: 'after' },
  ];
  expect(toToolResult({ content }).text).toBe(
    [
      'before',
      '[image image/png 34 kB]',
      '[audio audio/wav 3 bytes]',
      '[link file:///a (a, text/plain)]',
      '[resource test://b]\ninside',
      '[resource test://c application/pdf 6 bytes]',
      'after',
    ].join('\n'),
  );
});

test('structured content is added once, and not when the text says the same', () => {
  const structured = { a: 1, b: [2] };
  const cases = [
    { content: [{ type: 'text', text: 'two values' }], structuredContent: structured },
    { content: [{ type: 'text', text: '{ "b": [2], "a": 1 }' }], structuredContent: structured },
    { content: [{ type: 'text', text: 'said' }], structuredContent: { result: 'said' } },
    { content: [], structuredContent: structured },
  ];
  expect(cases.map((result) => toToolResult(result).text)).toEqual([
    'two values\n{"a":1,"b":[2]}',
    '{ "b": [2], "a": 1 }',
    'said',
    '{"a":1,"b":[2]}',
  ]);
});

test('an error result keeps its text and its structured content', () => {
  const result = { isError: true, content: [{ type: 'text', text: 'no' }], structuredContent: { code: 7 } };
  expect(toToolResult(result)).toEqual({ text: 'no\n{"code":7}', isError: true });
});

test('a result without content, of an unknown kind or no object at all still says something', () => {
  expect([{}, { content: [{ type: 'hologram', url: 'x' }] }, null].map((value) => toToolResult(value).text)).toEqual([
    '[the tool returned nothing]',
    '{"type":"hologram","url":"x"}',
    '[the tool returned nothing]',
  ]);
});
