import { expect, test } from 'bun:test';
import { call, called, completed, created, started } from '../../../test/support/session-facts.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { fold } from './evolve.ts';
import { next } from './next.ts';

const reading = (id: string, name = 'aish.read_file'): ToolCall => ({ ...call, id, name, effect: 'read' });
const step = (...calls: readonly ToolCall[]): SessionEvent => ({ ...called, calls });
const allowed = (callId: string): SessionEvent => ({
  type: 'approval.decided',
  callId,
  decision: 'allow',
  by: 'policy',
  rule: 'aish.read_file',
});
const asked = (callId: string): SessionEvent => ({ type: 'approval.requested', callId, preview: { undoable: true } });
const running = (callId: string): SessionEvent => ({ type: 'tool-call.started', callId });
const ended = (callId: string): SessionEvent => ({ ...completed, callId });

function wanted(...events: readonly SessionEvent[]): string[] {
  return next(fold([created, started, ...events])).map(({ key }) => key);
}

test('reading calls are decided one after the other and then run side by side', () => {
  const calls = step(reading('a'), reading('b'), reading('c'));
  expect(wanted(calls)).toEqual(['prepare-a']);
  expect(wanted(calls, allowed('a'))).toEqual(['prepare-b']);
  expect(wanted(calls, allowed('a'), asked('b'))).toEqual([]);
  const decided = [calls, allowed('a'), asked('b'), allowed('b'), allowed('c')];
  expect(wanted(...decided)).toEqual(['run-a', 'run-b', 'run-c']);
  expect(wanted(...decided, running('a'), running('b'), ended('b'), running('c'))).toEqual(['run-a', 'run-c']);
});

test('a call that changes something waits for the reading calls before it, and those behind it wait for it', () => {
  const calls = step(reading('a'), reading('b'), { ...call, id: 'w' }, reading('c'), reading('d'));
  const both = [calls, allowed('a'), allowed('b')];
  expect(wanted(...both)).toEqual(['run-a', 'run-b']);
  expect(wanted(...both, running('a'), running('b'), ended('a'))).toEqual(['run-b']);
  expect(wanted(...both, running('a'), running('b'), ended('a'), ended('b'))).toEqual(['prepare-w']);
});

test('one server gets four calls at once, and another server its own', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const calls = step(...ids.map((id) => reading(id, 'fs.read')), reading('x', 'notes.read'));
  const decided = [calls, ...[...ids, 'x'].map(allowed)];
  expect(wanted(...decided)).toEqual(['run-a', 'run-b', 'run-c', 'run-d', 'run-x']);
  const later = [...['a', 'b', 'c', 'd', 'x'].map(running), ended('b')];
  expect(wanted(...decided, ...later)).toEqual(['run-a', 'run-c', 'run-d', 'run-x', 'run-e']);
});

test('a stop after the step waits for every running call', () => {
  const calls = [step(reading('a'), reading('b')), allowed('a'), allowed('b'), running('a'), running('b')];
  const stop: SessionEvent = { type: 'turn.stop-requested' };
  expect(wanted(...calls, stop, ended('a'))).toEqual(['run-b']);
});
