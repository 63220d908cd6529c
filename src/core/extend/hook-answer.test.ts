import { expect, test } from 'bun:test';
import { parseHookAnswer } from './hook-answer.ts';
import { BAD_ANSWER, formatBadDecision, formatUnknownField } from './messages.ts';

test('a hook may make things stricter, and nothing else', () => {
  expect(parseHookAnswer('pre-tool', '')).toEqual({});
  expect(parseHookAnswer('pre-tool', '{}')).toEqual({});
  expect(parseHookAnswer('pre-tool', '{"decision":"deny","reason":"not\u200b now"}')).toEqual({ decision: 'deny', reason: 'not now' });
  expect(parseHookAnswer('pre-tool', '{"decision":"ask"}')).toEqual({ decision: 'ask' });
  expect(parseHookAnswer('pre-tool', '{"decision":"allow"}')).toBe(formatBadDecision('allow', ['deny', 'ask']));
  expect(parseHookAnswer('pre-tool', '{"arguments":{}}')).toBe(formatUnknownField('arguments', ['decision', 'reason']));
  expect(parseHookAnswer('post-tool', '{"context":"lint: 2 faults"}')).toEqual({ context: 'lint: 2 faults' });
  expect(parseHookAnswer('post-tool', '{"decision":"ask"}')).toBe(formatBadDecision('ask', ['deny']));
});

test.each(['ok', '[1]', '{"reason":1}', '{"decision":"deny"', '{} {}'])('%j is no answer', (output) => {
  expect(parseHookAnswer('prompt', output)).toBe(BAD_ANSWER);
  expect(parseHookAnswer('turn-end', output)).toEqual({});
});
