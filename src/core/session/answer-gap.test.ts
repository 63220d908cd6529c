import { expect, test } from 'bun:test';
import type { FinishReason } from '../../protocol/model.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { type AnswerGap, findAnswerGap } from './state.ts';

const call: ToolCall = { id: 'c1', name: 'a.b', arguments: {}, effect: 'read', origin: 'model' };

test.each<[text: string, reasoning: string, finish: FinishReason, calls: readonly ToolCall[], gap: AnswerGap | null]>([
  ['yes', '', 'stop', [], null],
  ['yes', 'hm', 'stop', [], null],
  ['', '', 'stop', [], 'empty'],
  [' \n', '', 'stop', [], 'empty'],
  ['', 'hm', 'stop', [], 'reasoning-only'],
  ['\u200b<|im_end|>', '', 'stop', [], 'empty'],
  ['\u200b', 'hm', 'stop', [], 'reasoning-only'],
  ['half', '', 'length', [], 'token-limit'],
  ['', 'half a thought', 'length', [], 'token-limit'],
  ['half', '', 'content_filter', [], 'filtered'],
  ['', '', 'content_filter', [], 'filtered'],
  ['', '', 'tool_calls', [call], null],
  ['', '', 'length', [call], null],
])('an answer %j with reasoning %j that ends by %s', (text, reasoning, finish, calls, gap) => {
  const thoughts = reasoning === '' ? {} : { reasoning };
  expect(findAnswerGap({ text, ...thoughts, calls, finish })).toBe(gap);
});
