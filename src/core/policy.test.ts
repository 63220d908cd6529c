import { expect, test } from 'bun:test';
import type { Settings } from '../protocol/settings.ts';
import type { ToolCall } from '../protocol/tool.ts';
import { judge } from './policy.ts';
import { DEFAULT_SETTINGS } from './session/state.ts';

const call: ToolCall = { id: 'c', name: 'aish.output', arguments: { handle: 1 }, effect: 'read', origin: 'model' };

function verdict(change: Partial<Settings>) {
  return judge(call, { ...DEFAULT_SETTINGS, ...change }, { undoable: true });
}

test('reading more of an output that was shown needs no question, unless a rule asks for one', () => {
  expect(verdict({ approve: 'ask' })).toEqual({ decision: 'allow', rule: 'shown already' });
  expect(verdict({ autoApprove: { 'aish.output': false } })).toEqual({ decision: 'ask', rule: 'aish.output' });
});

test('a tool of a server is not spared for its name', () => {
  const other = { ...call, name: 'logs.output' };
  expect(judge(other, DEFAULT_SETTINGS, { undoable: true })).toEqual({ decision: 'ask', rule: 'default' });
});
