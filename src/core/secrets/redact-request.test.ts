import { expect, test } from 'bun:test';
import type { ModelRequest } from '../../protocol/model.ts';
import { redactMessage, redactTool } from './redact-event.ts';

const cover = {
  known: (text: string) => text.replaceAll('ze"bra', '⟨K⟩'),
  text: (text: string) => text.replaceAll('ze"bra', '⟨K⟩').replaceAll('looks-like-one', '⟨?⟩'),
};

const request = (secret: string, looks: string): ModelRequest => ({
  messages: [
    { role: 'system', content: secret },
    { role: 'user', content: looks, images: [{ mediaType: 'image/png', data: 'ze"bra' }] },
    {
      role: 'assistant',
      content: looks,
      toolCalls: [{ id: 'c', name: 'f', arguments: JSON.stringify({ a: [secret, 'looks-like-one'] }) }],
      reasoning: looks,
    },
    { role: 'tool', toolCallId: 'c', content: looks },
  ],
  tools: [{ name: 'f', description: looks, parameters: { type: 'object', description: secret } }],
});

const redact = ({ messages, tools }: ModelRequest): ModelRequest => ({
  messages: messages.map((message) => redactMessage(message, cover)),
  tools: tools.map((tool) => redactTool(tool, cover)),
});

test('every text of a request is covered, calls inside their JSON', () => {
  expect(redact(request('ze"bra', 'looks-like-one'))).toEqual(request('⟨K⟩', '⟨?⟩'));
});

test('a request that was covered before does not change by a byte', () => {
  const covered = request('⟨K⟩', '⟨?⟩');
  expect(JSON.stringify(redact(covered))).toBe(JSON.stringify(covered));
});
