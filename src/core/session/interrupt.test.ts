import { expect, test } from 'bun:test';
import {
  answered,
  approved,
  asked,
  call,
  called,
  checkpointed,
  completed,
  created,
  project,
  running,
  started,
  wanted,
} from '../../../test/support/session-facts.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { decide } from './decide.ts';
import { evolve, fold } from './evolve.ts';
import { NOT_BEGUN, UNKNOWN_OUTCOME } from './messages.ts';
import { next } from './next.ts';
import { isIdle } from './state.ts';

test('an interrupted call is answered, so the next request is well-formed', () => {
  const state = fold([created, started, called, asked, approved, checkpointed, running, { type: 'turn.ended', reason: 'interrupted' }]);
  expect(project(state).slice(2)).toEqual([
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call00000', name: 'fs__write_file', arguments: '{"path":"a.txt"}' }],
    },
    { role: 'tool', toolCallId: 'call00000', content: UNKNOWN_OUTCOME },
    { role: 'assistant', content: '(no answer: interrupted)' },
  ]);
});

test('a stop after the step lets a running call end, and tells the model that the ones behind it never began', () => {
  const second: ToolCall = { ...call, id: 'call00001' };
  const both: SessionEvent = { ...called, calls: [call, second] };
  const stop: SessionEvent = { type: 'turn.stop-requested' };
  const log = [started, both, asked, approved, checkpointed, running, stop, completed];
  expect([7, 8].map((length) => wanted(...log.slice(0, length)))).toEqual([['run-tool'], ['end-turn']]);
  expect(next(fold([created, ...log]))).toEqual([{ type: 'end-turn', key: 'end-1', reason: 'interrupted' }]);
  const ended = fold([created, ...log, { type: 'turn.ended', reason: 'interrupted' }]);
  expect(project(ended).slice(3)).toEqual([
    { role: 'tool', toolCallId: 'call00000', content: 'written' },
    { role: 'tool', toolCallId: 'call00001', content: NOT_BEGUN },
    { role: 'assistant', content: '(no answer: interrupted)' },
  ]);
});

test('a stop after the step lets a request end, runs none of its calls, and takes an answer for an answer', () => {
  const stop: SessionEvent = { type: 'turn.stop-requested' };
  expect(wanted(started, stop)).toEqual(['request-model']);
  expect(next(fold([created, started, stop, called]))).toEqual([{ type: 'end-turn', key: 'end-1', reason: 'interrupted' }]);
  expect(next(fold([created, started, stop, answered]))).toEqual([{ type: 'end-turn', key: 'end-1', reason: 'completed' }]);
});

test('a stop after the step is recorded once', () => {
  const op: Op = { type: 'interrupt', after: 'step' };
  const state = fold([created, started, called, asked, approved, checkpointed, running]);
  expect(decide(state, op)).toEqual([{ type: 'turn.stop-requested' }]);
  expect(decide(evolve(state, { type: 'turn.stop-requested' }), op)).toEqual([]);
});

test('a stop after the step cuts an answer that streams off at once, and keeps what came', () => {
  const op: Op = { type: 'interrupt', after: 'step' };
  expect(decide(fold([created, started]), op)).toEqual([{ type: 'turn.ended', reason: 'interrupted' }]);
  const streaming = fold([created, started, { type: 'text.delta', text: 'Half' }]);
  expect(decide(streaming, op)).toEqual([{ type: 'turn.ended', reason: 'interrupted', text: 'Half' }]);
});

test('an interrupt while the snapshot after a step is taken gives it up, and the command that waits for it', () => {
  const waiting = fold([
    created,
    ...[started, called, asked, approved, checkpointed, running],
    { type: 'turn.ended', reason: 'interrupted' },
    { type: 'command.started', line: 'ls', driver: 'user' },
  ]);
  const facts = decide(waiting, { type: 'interrupt' });
  expect(facts).toEqual([
    {
      type: 'command.completed',
      record: { line: 'ls', driver: 'user', exit: 130, cwd: '/tmp', output: '', bytes: 0, durationMs: 0 },
    },
    {
      type: 'checkpoint.finalized',
      id: 'c1',
      error: { code: 'checkpoint.stopped', message: 'stopped; :undo can restore only files that you name' },
    },
  ]);
  expect(isIdle(facts.reduce(evolve, waiting))).toBe(true);
});

test('an interrupt of a change that waits for the snapshot after the step before it gives that up too', () => {
  const again = { ...called, calls: [{ ...call, id: 'call00001' }] };
  const waiting = fold([
    created,
    ...[started, called, asked, approved, checkpointed, running, completed, again],
    { ...approved, callId: 'call00001' },
  ]);
  const facts = decide(waiting, { type: 'interrupt' });
  expect(facts.map(({ type }) => type)).toEqual(['turn.ended', 'checkpoint.finalized']);
  expect(isIdle(facts.reduce(evolve, waiting))).toBe(true);
});
