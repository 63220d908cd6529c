import { expect, test } from 'bun:test';
import type { Message, ModelRequest } from '../../protocol/model.ts';
import { projectRequest } from './project-request.ts';

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
