import { expect, test } from 'bun:test';
import * as sdk from '@modelcontextprotocol/client';
import type { Json } from '../../protocol/json.ts';
import { toPromptText, toResourceText, toServerResult } from './result.ts';

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
  expect(toServerResult({ content }).text).toBe(
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
  expect(cases.map((result) => toServerResult(result).text)).toEqual([
    'two values\n{"a":1,"b":[2]}',
    '{ "b": [2], "a": 1 }',
    'said',
    '{"a":1,"b":[2]}',
  ]);
});

test('an error result keeps its text and its structured content', () => {
  const result = { isError: true, content: [{ type: 'text', text: 'no' }], structuredContent: { code: 7 } };
  expect(toServerResult(result)).toEqual({
    text: 'no\n{"code":7}',
    isError: true,
    blocks: [{ type: 'text', text: 'no' }],
    structured: { code: 7 },
    warnings: [],
  });
});

test('a result without content or with a block of an unknown kind still says something', () => {
  expect([{}, { content: [{ type: 'hologram', url: 'x' }] }].map((value) => toServerResult(value).text)).toEqual([
    '[the tool returned nothing]',
    '{"type":"hologram","url":"x"}',
  ]);
});

test('an answer that is no result of a tool is an error', () => {
  for (const value of [null, 'done', { foo: 1 }, { content: 'text' }]) expect(() => toServerResult(value)).toThrow();
});

test('structured content that breaks the promise of the tool comes with a warning', () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const check = (structuredContent: Json) =>
    toServerResult({ content: [], structuredContent }, { sdk, schema }).warnings;
  expect([check({ n: 1 }), check({ n: 'one' }).length, check({}).length]).toEqual([[], 1, 1]);
  expect(toServerResult({ content: [{ type: 'text', text: 'x' }] }, { sdk, schema }).warnings).toEqual([
    'the result lacks the structured content that the tool promises',
  ]);
  const failed = toServerResult({ isError: true, content: [] }, { sdk, schema });
  expect([failed.warnings, failed.text]).toEqual([[], '[the tool failed and did not say why]']);
});

test('sounds and binary resources are kept as blocks', () => {
  const content = [
    { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
    { type: 'resource', resource: { uri: 'test://c', mimeType: 'application/pdf', blob: 'AAAAAAAA' } },
    { type: 'resource_link', uri: 'file:///a', name: 'a', mimeType: 'text/plain' },
  ];
  expect(toServerResult({ content }).blocks).toEqual([
    { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
    { type: 'resource', uri: 'test://c', mimeType: 'application/pdf', data: 'AAAAAAAA' },
    { type: 'resource_link', uri: 'file:///a', mimeType: 'text/plain' },
  ]);
});

test('a resource and a prompt are texts, and binary parts have a label', () => {
  const contents = [
    { uri: 'test://a', text: 'one' },
    { uri: 'test://b', mimeType: 'application/pdf', blob: 'AAAAAAAA' },
  ];
  expect(toResourceText({ contents })).toBe('one\n[resource test://b application/pdf 6 bytes]');
  const messages = [
    { role: 'user', content: { type: 'text', text: 'Summarize this.' } },
    { role: 'assistant', content: [{ type: 'text', text: 'Gladly.' }] },
  ];
  expect(toPromptText({ messages })).toBe('user: Summarize this.\n\nassistant: Gladly.');
  for (const wrong of [null, {}, { contents: 1, messages: 1 }]) {
    expect(() => toResourceText(wrong)).toThrow();
    expect(() => toPromptText(wrong)).toThrow();
  }
});
