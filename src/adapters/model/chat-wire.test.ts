import { expect, test } from 'bun:test';
import type { JsonObject } from '../../protocol/json.ts';
import type { Message } from '../../protocol/model.ts';
import { toWireBody, toWireText } from './chat-wire.ts';

const local = { baseUrl: 'http://127.0.0.1:8080/v1', model: 'm' };
const messages: readonly Message[] = [
  { role: 'system', content: 's' },
  { role: 'user', content: 'u' },
  {
    role: 'assistant',
    content: '',
    reasoning: 'r',
    toolCalls: [{ id: 'abcdefgh1', name: 'fs__read', arguments: '{"a":1}' }],
  },
  { role: 'tool', toolCallId: 'abcdefgh1', content: 'ok' },
];

test('a request is written as chat completions want it', () => {
  const tools = [{ name: 'fs__read', description: 'Reads.', parameters: { type: 'object' } }];
  expect(toWireBody(local, { messages, tools })).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
      {
        role: 'assistant',
        content: '',
        reasoning_content: 'r',
        tool_calls: [{ id: 'abcdefgh1', type: 'function', function: { name: 'fs__read', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 'abcdefgh1', content: 'ok' },
    ],
    tools: [
      { type: 'function', function: { name: 'fs__read', description: 'Reads.', parameters: { type: 'object' } } },
    ],
    stream: true,
    stream_options: { include_usage: true },
  });
});

test('the text of a body is its JSON, also where messages were written before', () => {
  const profile = { emptyContent: 'null', omit: ['messages.reasoning_content'] } as const;
  for (const endpoint of [local, { ...local, profile }, local]) {
    const body = toWireBody(endpoint, { messages, tools: [] });
    expect(toWireText(body)).toBe(JSON.stringify(body));
  }
});

test('without tools and model the fields are left out', () => {
  expect(Object.keys(toWireBody({ ...local, model: null }, { messages, tools: [] }))).toEqual([
    'messages',
    'stream',
    'stream_options',
  ]);
});

test('broken and empty arguments are never sent', () => {
  const sent = ['', '{"a"', '"a"', '{"a":1}'].map((text) => {
    const message: Message = {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'abcdefgh1', name: 'f', arguments: text }],
    };
    return JSON.stringify(toWireBody(local, { messages: [message], tools: [] }).messages);
  });
  expect(sent.map((text) => JSON.parse(text)[0].tool_calls[0].function.arguments)).toEqual([
    '{}',
    '{}',
    '{}',
    '{"a":1}',
  ]);
});

test('hosts that refuse unknown fields get none', () => {
  const mistral = JSON.stringify(
    toWireBody({ baseUrl: 'https://api.mistral.ai/v1', model: 'm' }, { messages, tools: [] }),
  );
  expect([mistral.includes('reasoning_content'), mistral.includes('stream_options')]).toEqual([false, false]);
});

const signed: Message = {
  role: 'assistant',
  content: '',
  toolCalls: [
    { id: 'abcdefgh1', name: 'f', arguments: '{}', extra: { google: { thought_signature: 'c2ln' } } },
    { id: 'abcdefgh2', name: 'f', arguments: '{}' },
  ],
};

test('what came beside a call goes back beside it, and nowhere else', () => {
  const call = { type: 'function', function: { name: 'f', arguments: '{}' } };
  const google = { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', model: 'm' };
  const sent = [local, google].map((endpoint) => toWireBody(endpoint, { messages: [signed], tools: [] }).messages);
  const expected = {
    role: 'assistant',
    content: '',
    tool_calls: [
      { id: 'abcdefgh1', ...call, extra_content: { google: { thought_signature: 'c2ln' } } },
      { id: 'abcdefgh2', ...call },
    ],
  };
  expect(sent).toEqual([[expected], [expected]]);
});

test('what another server put beside a call stays away from hosts that refuse it', () => {
  const mistral = { baseUrl: 'https://api.mistral.ai/v1', model: 'm' };
  const openai = { baseUrl: 'https://api.openai.com/v1', model: 'm' };
  const sent = [mistral, openai].map((endpoint) =>
    JSON.stringify(toWireBody(endpoint, { messages: [signed], tools: [] })),
  );
  expect(sent.map((text) => text.includes('extra_content'))).toEqual([false, false]);
});

test('thinking without calls is not sent back', () => {
  const thought: Message = { role: 'assistant', content: 'a', reasoning: 'r' };
  expect(toWireBody(local, { messages: [thought], tools: [] }).messages).toEqual([{ role: 'assistant', content: 'a' }]);
});

test('blanks at the end of an answer are not sent back', () => {
  const answers = ['Let me look. \n', '\n\n'].map((content): Message => ({ role: 'assistant', content }));
  const sent = toWireBody(local, { messages: answers, tools: [] }).messages;
  expect(sent).toEqual(['Let me look.', ''].map((content) => ({ role: 'assistant', content })));
});

test('half a character is replaced, since strict readers refuse it', () => {
  const body = toWireBody(local, { messages: [{ role: 'user', content: 'a\ud83d' }], tools: [] });
  expect(body.messages).toEqual([{ role: 'user', content: 'a\ufffd' }]);
});

test('a tool without description is described by its name', () => {
  const body = toWireBody(local, { messages, tools: [{ name: 'f', description: ' ', parameters: {} }] });
  expect(body.tools).toEqual([{ type: 'function', function: { name: 'f', description: 'f', parameters: {} } }]);
});

test('images go behind the text as parts of one message, and plain text stays plain', () => {
  const images = [{ mediaType: 'image/png', data: 'AAAA' }] as const;
  const asked = { role: 'user', content: 'look', images } as const;
  const request = { messages: [asked, { role: 'user', content: 'u', images: [] }] as const, tools: [] };
  expect(toWireBody(local, request).messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    },
    { role: 'user', content: 'u' },
  ]);
});

test('reasoning goes back under its name and in its place, and only to its own model', () => {
  const toolCalls = [{ id: 'call00000', name: 'fs__read', arguments: '{}' }];
  const answer = (data: JsonObject): Message => ({
    role: 'assistant',
    content: 'Reading.',
    toolCalls,
    reasoning: 'Hm.',
    origin: { provider: 'openai-chat', model: 'm', parts: [{ type: 'reasoning', length: 3, data }] },
  });
  const sent = (data: JsonObject, model = 'm') => {
    const body = toWireBody({ baseUrl: 'http://127.0.0.1/v1', model }, { messages: [answer(data)], tools: [] });
    const { role: _, tool_calls: __, ...rest } = (body.messages as JsonObject[])[0] ?? {};
    return rest;
  };
  const details = [{ type: 'reasoning.encrypted', data: 'c2ln' }];
  expect(sent({ field: 'reasoning' })).toEqual({ content: 'Reading.', reasoning: 'Hm.' });
  expect(sent({ field: 'reasoning_content' })).toEqual({ content: 'Reading.', reasoning_content: 'Hm.' });
  expect(sent({ field: 'reasoning', details })).toEqual({
    content: 'Reading.',
    reasoning: 'Hm.',
    reasoning_details: details,
  });
  expect(sent({ field: 'content', open: '<think>', close: '</think>' })).toEqual({
    content: '<think>Hm.</think>\n\nReading.',
  });
  expect(sent({ field: 'content', open: '', close: '</think>' })).toEqual({
    content: '<think>Hm.</think>\n\nReading.',
  });
  expect(sent({ field: 'content' })).toEqual({
    content: [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'Reading.' },
    ],
  });
  expect(sent({ field: 'reasoning' }, 'other')).toEqual({ content: 'Reading.' });
});
