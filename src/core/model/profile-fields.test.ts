import { expect, test } from 'bun:test';
import type { JsonObject } from '../../protocol/json.ts';
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
