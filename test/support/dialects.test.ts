import { expect, test } from 'bun:test';
import { DIALECTS } from './dialects.ts';
import type { WireBody, WireMessage } from './request-check.ts';

const system: WireMessage = { role: 'system', content: 's' };
const user: WireMessage = { role: 'user', content: 'u' };
const answer: WireMessage = { role: 'assistant', content: 'a' };
const result: WireMessage = { role: 'tool', tool_call_id: 'call00000', content: 'ok' };

function calling(more: object = {}, beside: object = {}): WireMessage {
  const call = { id: 'call00000', type: 'function', function: { name: 'fs__read', arguments: '{}' }, ...beside };
  return { role: 'assistant', content: '', tool_calls: [call], ...more };
}

/** Names of the dialects that refuse a request. */
function refusedBy(messages: readonly WireMessage[], more: object = {}): string[] {
  const body: WireBody = { messages, ...more };
  return DIALECTS.filter(({ find }) => find(body).length > 0).map(({ name }) => name);
}

test.each([
  ['a plain round is taken by all', [system, user, calling(), result], []],
  [
    'thinking beside calls',
    [system, user, calling({ reasoning_content: 'r' }), result],
    ['openai', 'mistral', 'anthropic', 'gemini'],
  ],
  [
    'thinking beside an answer',
    [system, user, { ...answer, reasoning_content: 'r' }, user],
    ['openai', 'mistral', 'anthropic', 'gemini', 'deepseek'],
  ],
  [
    'what a server put beside a call',
    [system, user, calling({}, { extra_content: {} }), result],
    ['openai', 'mistral', 'anthropic'],
  ],
  ['blanks for an answer', [system, user, { ...answer, content: ' \n' }, user], ['mistral', 'anthropic']],
  ['a call without result', [system, user, calling(), user], ['anthropic', 'gemini', 'template']],
  ['a result without call', [system, user, result], ['anthropic']],
  ['roles that do not alternate', [system, user, user], ['template']],
  ['an assistant who speaks first', [system, answer, user], ['anthropic', 'template']],
] as const)('%s', (_title, messages, names) => {
  expect(refusedBy(messages)).toEqual([...names]);
});

test('a request for usage is refused where it comes without asking', () => {
  expect(refusedBy([system, user], { stream_options: { include_usage: true } })).toEqual(['mistral']);
});
