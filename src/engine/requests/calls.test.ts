import { expect, test } from 'bun:test';
import { toSettings } from '../../core/session/settings.ts';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import type { Completion, FinishReason } from '../../protocol/model.ts';
import type { Tool } from '../../protocol/tool.ts';
import { resolveCalls } from './answer-calls.ts';

const tool: Tool = { name: 'fs.write', description: '', parameters: { type: 'object' }, effect: 'write' };
const state = { calls: 0, settings: { ...toSettings(DEFAULT_CONFIG), confirmCmd: true } };

function answer(finish: FinishReason, more: Partial<Completion>): Completion {
  return { text: '', reasoning: '', toolCalls: [], finish, ...more };
}

function resolve(finish: FinishReason, more: Partial<Completion>) {
  return resolveCalls(answer(finish, more), new Map([['fs__write', tool]]), state);
}

const withCall = { toolCalls: [{ id: 'a', name: 'fs__write', arguments: '{}' }] };

test('the calls of a whole answer can run', () => {
  expect(resolve('tool_calls', withCall).map((call) => call.invalid)).toEqual([undefined]);
});

test('no call of an answer that was cut at the token limit runs', () => {
  const [call] = resolve('length', withCall);
  expect(call?.invalid).toBe(
    '[aish] not run: the answer was cut off at the token limit, so the call may be incomplete; send a shorter call',
  );
});

test('no call of an answer that a content filter stopped runs', () => {
  const [call] = resolve('content_filter', withCall);
  expect(call?.invalid).toBe(
    '[aish] not run: a content filter stopped the answer, so the call may be incomplete; try another way',
  );
});

test.each<FinishReason>(['length', 'content_filter'])('an answer that ended with %s proposes no command', (finish) => {
  expect(resolve(finish, { text: 'CMD: rm -r build' })).toEqual([]);
});

test('beside calls, and in its thoughts, an answer proposes no command', () => {
  const text = 'First this.\nCMD: rm -r build';
  expect(resolve('tool_calls', { ...withCall, text }).map(({ name, origin }) => [name, origin])).toEqual([
    ['fs.write', 'model'],
  ]);
  expect(resolve('stop', { text: 'Nothing.', reasoning: text })).toEqual([]);
});

test('a final answer proposes its commands as calls of their own origin', () => {
  expect(resolve('stop', { text: 'So:\nCMD: ls' })).toEqual([
    { id: 'call00000', name: 'aish.exec', arguments: { command: 'ls' }, effect: 'exec', origin: 'command-line' },
  ]);
});
