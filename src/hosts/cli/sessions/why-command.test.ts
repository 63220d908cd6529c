import { expect, test } from 'bun:test';
import type { SentRequest } from '../../../engine/requests/sent-requests.ts';
import type { Recorded } from '../../../protocol/event.ts';
import type { Message, RequestPrefix } from '../../../protocol/model.ts';
import { formatWhy } from './why-command.ts';

const frame: RequestPrefix = {
  endpoint: 'local',
  model: null,
  host: 'localhost',
  outputBudget: 1,
  images: false,
  system: 'You.',
  tools: [],
};

function sent(seq: number, messages: readonly Message[]): SentRequest {
  return { seq, at: 0, frame, body: '', messages, isExact: true, bytes: 9, sha256: 'ab' };
}

/** The report about the messages of the first request. */
function told(messages: readonly Message[], before: readonly Message[] | null): readonly string[] {
  const facts: readonly Recorded[] = [{ seq: 5, at: 0, event: { type: 'request.sent', bytes: 9, sha256: 'ab' } }];
  const earlier = before === null ? null : sent(2, before);
  const text = formatWhy({ turn: 2, facts, requests: [sent(5, messages)], before: earlier, hint: ':why 2' });
  const lines = text.split('\n');
  return lines.slice(lines.findIndex((line) => line.includes('byte for byte')) + 1, lines.indexOf('  tools: none'));
}

const system: Message = { role: 'system', content: 'You.' };
const question: Message = { role: 'user', content: 'go' };
const call = { id: 'c1', name: 'aish__exec', arguments: '{}' };
const answer: Message = { role: 'assistant', content: '', toolCalls: [call] };

test('the first request of a turn tells what the last one of the turn before did not hold', () => {
  expect(told([system, question, answer, { role: 'user', content: 'and?' }], [system, question])).toEqual([
    '  the first 2 messages are the same as in the request before',
    '  assistant, 0 characters and 1 call: aish.exec',
    '  user, 4 characters: and?',
  ]);
});

test('the very first request is told whole', () => {
  expect(told([system, question], null)).toEqual(['  system, 4 characters: You.', '  user, 2 characters: go']);
});

test('a system message that changed is told, and what follows it is not told again', () => {
  const changed: Message = { role: 'system', content: 'You!' };
  expect(told([changed, question, answer], [system, question])).toEqual([
    '  system, 4 characters: You!',
    '  the next message is the same as in the request before',
    '  assistant, 0 characters and 1 call: aish.exec',
  ]);
});

test('calls are named beside what was said with them, and an answer that is empty says nothing', () => {
  const two: Message = { role: 'assistant', content: 'I look.', toolCalls: [call, { ...call, id: 'c2' }] };
  expect(told([system, two, answer], [system])).toEqual([
    '  the first message is the same as in the request before',
    '  assistant, 7 characters and 2 calls: aish.exec, aish.exec: I look.',
    '  assistant, 0 characters and 1 call: aish.exec',
  ]);
});
