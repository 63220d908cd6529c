import { expect, test } from 'bun:test';
import type { SessionEvent } from '../protocol/event.ts';
import type { ToolCall } from '../protocol/tool.ts';
import { addToReport, EMPTY_REPORT } from './turn-report.ts';

const call: ToolCall = { id: 'c1', name: 'a.b', arguments: { x: 1 }, effect: 'read', origin: 'model' };
const proposal: ToolCall = { ...call, id: 'c2', name: 'aish.exec', origin: 'command-line' };
const usage = { promptTokens: 10, completionTokens: 2 };

test('a turn is one answer: the last text, every call with its result, the tokens of all steps', () => {
  const events: SessionEvent[] = [
    { type: 'step.completed', text: 'first', calls: [call], finish: 'tool_calls', model: 'm', usage },
    { type: 'approval.decided', callId: 'c1', decision: 'deny', by: 'headless' },
    { type: 'tool-call.completed', callId: 'c1', text: 'denied', isError: true },
    { type: 'step.completed', text: 'CMD: ls', calls: [proposal], finish: 'stop', model: 'm', usage },
    { type: 'tool-call.completed', callId: 'c2', text: 'denied', isError: true },
    { type: 'turn.ended', reason: 'completed' },
  ];
  expect(events.reduce(addToReport, EMPTY_REPORT)).toEqual({
    text: 'CMD: ls',
    calls: [{ id: 'c1', name: 'a.b', arguments: { x: 1 }, decision: 'deny', result: 'denied', isError: true }],
    promptTokens: 20,
    completionTokens: 4,
    end: 'completed',
  });
});

test('a turn that broke off says what had streamed, and why', () => {
  const error = { code: 'model.cut', message: 'cut' };
  const ended: SessionEvent = { type: 'turn.ended', reason: 'failed', text: 'half of', error };
  expect(addToReport(EMPTY_REPORT, ended)).toMatchObject({ text: 'half of', end: 'failed', error });
});
