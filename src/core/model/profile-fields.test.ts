import { expect, test } from 'bun:test';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { withProfile } from './profile-fields.ts';

const body: JsonObject = {
  model: 'm',
  messages: [
    { role: 'user', content: '' },
    { role: 'assistant', content: '', reasoning_content: 'hm', tool_calls: [{ id: 'a', extra_content: { x: 1 } }] },
    { role: 'assistant', content: 'done' },
  ],
  stream: true,
  stream_options: { include_usage: true },
};

test('fields are left out wherever their path leads', () => {
  const omit = ['stream_options', 'messages.reasoning_content', 'messages.tool_calls.extra_content', 'no.such.field'];
  expect(withProfile(body, { omit })).toEqual({
    model: 'm',
    messages: [
      { role: 'user', content: '' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'a' }] },
      { role: 'assistant', content: 'done' },
    ],
    stream: true,
  });
});

test('empty content beside calls has the form that the server takes', () => {
  const contents = (['null', 'space', 'omitted'] as const).map((emptyContent) => {
    const { messages } = withProfile(body, { emptyContent });
    return JSON.parse(JSON.stringify(messages)).map(({ content }: { content?: unknown }) => content);
  });
  expect(contents).toEqual([
    ['', null, 'done'],
    ['', ' ', 'done'],
    ['', undefined, 'done'],
  ]);
});

test('a server that does not stream is not asked to, and a token limit has the name that the server knows', () => {
  const tokenLimit = { field: 'max_completion_tokens', tokens: 4096 } as const;
  expect(withProfile({ stream: true }, { stream: false, tokenLimit })).toEqual({
    stream: false,
    max_completion_tokens: 4096,
  });
});

test('content goes as a list of parts, or as text without images', () => {
  const seen: JsonObject[] = [
    { type: 'text', text: 'see' },
    { type: 'image_url', image_url: { url: 'data:' } },
  ];
  const messages = ['go', '', seen].map((content): JsonObject => ({ role: 'assistant', content }));
  const contentsOf = (content: 'parts' | 'text') => {
    const { messages: formed } = withProfile({ messages }, { content });
    return Array.isArray(formed) ? formed.map((one: Json) => (isJsonObject(one) ? one.content : undefined)) : [];
  };
  expect(contentsOf('parts')).toEqual([[{ type: 'text', text: 'go' }], [], seen]);
  expect(contentsOf('text')).toEqual(['go', '', 'see']);
});

test('demanded fields are added, those of tools only with tools', () => {
  const tools = [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }];
  const add = ['temperature', 'tool_choice', 'tools.function.parameters.additionalProperties', 'tools.function.strict'];
  expect(withProfile({ model: 'm' }, { add })).toEqual({ model: 'm', temperature: 1 });
  const parameters = { type: 'object', additionalProperties: false };
  expect(withProfile({ tools }, { add })).toEqual({
    tools: [{ type: 'function', function: { name: 'a', strict: false, parameters } }],
    temperature: 1,
    tool_choice: 'auto',
  });
});
