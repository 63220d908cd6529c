import { expect, test } from 'bun:test';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { Message, ModelRequest } from '../../protocol/model.ts';
import { isPlainSchema, projectRequest, toPlainSchema, withProfile } from './endpoint-profile.ts';

const request: ModelRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: 'One moment.',
      toolCalls: [
        { id: 'call00001', name: 'fs__read', arguments: '{"path":"1"}' },
        { id: 'call00002', name: 'fs__read', arguments: '{"path":"2"}' },
      ],
    },
    { role: 'tool', toolCallId: 'call00001', content: 'one' },
    { role: 'tool', toolCallId: 'call00002', content: 'two' },
  ],
  tools: ['a', 'b', 'c'].map((name) => ({ name, description: name, parameters: { type: 'object', $defs: {} } })),
};

const asText: readonly Message[] = [
  { role: 'assistant', content: 'One moment.\n[calls fs__read {"path":"1"}]\n[calls fs__read {"path":"2"}]' },
  { role: 'user', content: '[tool: fs__read] one\n\n[tool: fs__read] two' },
];

test('a server of the usual kind gets the request as it is', () => {
  expect(projectRequest(request, {})).toEqual(request);
});

test('a server without the role tool gets calls and results as text, and the roles still alternate', () => {
  const { messages, tools } = projectRequest(request, { toolTurns: 'text' });
  expect(messages.slice(2)).toEqual([...asText]);
  expect(tools).toHaveLength(3);
});

test('a server without tools gets none, and earlier calls as text', () => {
  const { messages, tools } = projectRequest(request, { tools: 'none' });
  expect(messages.slice(2)).toEqual([...asText]);
  expect(tools).toEqual([]);
});

test('a server without the role system gets its text in front of the first message', () => {
  const { messages } = projectRequest(request, { system: 'user' });
  expect(messages[0]).toEqual({ role: 'user', content: 'Be brief.\n\ngo' });
  expect(messages).toHaveLength(4);
});

test('a server with a limit for tools gets the first ones, and one with a small schema gets small ones', () => {
  const { tools } = projectRequest(request, { mostTools: 2, schema: 'plain' });
  expect(tools).toEqual([
    { name: 'a', description: 'a', parameters: { type: 'object', properties: {} } },
    { name: 'b', description: 'b', parameters: { type: 'object', properties: {} } },
  ]);
});

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
