import { expect, test } from 'bun:test';
import type { EventOf } from '../../protocol/event.ts';
import { DEFAULT_SETTINGS, EMPTY_STATE } from '../session/state.ts';
import {
  beginExploration,
  followExploration,
  formatBounded,
  formatReports,
  parseQuestions,
  toExplorerSettings,
  withEstimate,
} from './explorer.ts';

const step = (text: string, tokens: number): EventOf<'step.completed'> => ({
  type: 'step.completed',
  text,
  calls: [],
  finish: 'stop',
  model: 'local',
  usage: { promptTokens: tokens, completionTokens: 1 },
});

test('one to four questions fit, and each has words', () => {
  expect(parseQuestions({ questions: ['a', 'b', 'c', 'd'] })).toEqual(['a', 'b', 'c', 'd']);
  for (const questions of [[], ['a', 'b', 'c', 'd', 'e'], ['a', ' '], ['a', 1], 'a', null])
    expect(parseQuestions({ questions })).toBeNull();
});

test('an explorer keeps the rules that refuse, and none that approves', () => {
  const settings = toExplorerSettings(
    {
      ...EMPTY_STATE,
      settings: {
        ...DEFAULT_SETTINGS,
        model: 'local',
        approve: 'all',
        autoRun: 'read-only',
        autoApprove: { 'aish.write_file': true, 'aish.read_file': false, 'fs.*': true },
        commands: { approve: ['npm test'], ask: ['git'], deny: ['ls'] },
      },
    },
    5,
  );
  expect(settings).toEqual({
    ...DEFAULT_SETTINGS,
    model: 'local',
    approve: 'read-only',
    autoRun: 'read-only',
    autoApprove: { 'aish.read_file': false },
    commands: { approve: [], ask: ['git'], deny: ['ls'] },
    maxToolDepth: 5,
    maxSteps: 5,
    checkpointMode: 'off',
    confirmCmd: false,
  });
});

test('an answer that its server does not count gets an estimate that grows with the conversation', () => {
  const { usage: _, ...uncounted } = step('An answer.', 1);
  const begun = followExploration(beginExploration('one'), { type: 'turn.started', turn: 1, text: 'one' });
  const first = withEstimate(begun, uncounted);
  const read = followExploration(followExploration(begun, first), {
    ...{ type: 'tool-call.completed', callId: 'call00000', isError: false },
    text: 'word '.repeat(1000),
  });
  const second = followExploration(read, withEstimate(read, uncounted));
  expect(read.tokens).toBeGreaterThan(500);
  expect(second.tokens).toBeGreaterThan(2 * read.tokens + 900);
  expect(withEstimate(begun, step('An answer.', 1))).toEqual(step('An answer.', 1));
});

test('reports have a bounded size, and the whole stands under a handle', () => {
  const long = 'A long report. '.repeat(2000);
  const all = ['one', 'two'].map((question) => followExploration(beginExploration(question), step(long, 10)));
  const bounded = formatBounded(all, 100_000, 3);
  expect(bounded.length).toBeLessThan(8500);
  expect(bounded).toEndWith('[shortened; the whole reports: output %3]');
  expect(formatBounded(all, 2000, 3).length).toBeLessThan(2400);
  expect(formatReports(all)).toContain(long.trim());
});

test('an empty last answer leaves the text before it; without any text the reason is the report', () => {
  const begun = followExploration(beginExploration('one'), step('Half of it.', 10));
  expect(formatReports([followExploration(begun, step('', 5))])).toBe('## 1. one\nHalf of it.\n[2 requests, 0 calls, 17 tokens]');
  const error = { code: 'budget.reached', message: 'the budget is used up' };
  const ended = followExploration(beginExploration('one'), { type: 'turn.ended', reason: 'budget', error });
  expect(formatReports([ended])).toContain('(no report: the budget is used up)\n[0 requests, 0 calls, 0 tokens; stopped at its limit]');
});
