import { expect, test } from 'bun:test';
import { after } from '../../../test/support/session-facts.ts';
import type { Checkpoint } from '../../protocol/checkpoint.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { evolve } from './evolve.ts';
import { next } from './next.ts';
import type { SessionState } from './state.ts';

const checkpoint: Checkpoint = { id: 'c1', ref: 'r', commit: 'x', root: '/', label: 'before aish.write_file', at: 0 };

function call(id: string): ToolCall {
  return { id, name: 'aish.write_file', arguments: {}, effect: 'write', origin: 'model' };
}

function step(...calls: readonly ToolCall[]): SessionEvent {
  return { type: 'step.completed', text: '', calls, finish: 'tool_calls', model: 'm' };
}

function asked(callId: string): SessionEvent {
  return { type: 'approval.requested', callId, preview: { undoable: true } };
}

function allowed(callId: string): SessionEvent {
  return { type: 'approval.decided', callId, decision: 'allow', by: 'user' };
}

function ran(callId: string): readonly SessionEvent[] {
  return [
    { type: 'tool-call.started', callId },
    { type: 'tool-call.completed', callId, text: 'ok', isError: false },
  ];
}

const created: SessionEvent = { type: 'checkpoint.created', callId: 'a', checkpoint };
const finalized: EventOf<'checkpoint.finalized'> = { type: 'checkpoint.finalized', id: 'c1' };
const first: readonly SessionEvent[] = [
  { type: 'turn.started', turn: 1, text: 'do' },
  step(call('a'), call('b')),
  asked('a'),
  allowed('a'),
  created,
  ...ran('a'),
];

function wanted(state: SessionState): readonly string[] {
  return next(state).map(({ type }) => type);
}

test('while a later call of a step is asked about, what the step did so far is pictured', () => {
  expect(wanted(after(...first))).toEqual(['prepare-call']);
  expect(wanted(after(...first, asked('b')))).toEqual(['finalize-checkpoint', 'measure-call']);
  expect(wanted(after(...first, asked('b'), finalized))).toEqual(['measure-call']);
});

test('the call that was allowed then asks for a checkpoint, which may be the one that the step has', () => {
  const state = after(...first, asked('b'), finalized, allowed('b'));
  expect([wanted(state), state.turn?.paused]).toEqual([['create-checkpoint'], checkpoint]);
  const again = evolve(state, { type: 'checkpoint.created', callId: 'b', checkpoint, again: true });
  expect([wanted(again), again.openCheckpoint, again.turn?.paused]).toEqual([['run-tool'], checkpoint, undefined]);
});

test('an answer that comes before the snapshot is there waits for it', () => {
  expect(wanted(after(...first, asked('b'), allowed('b')))).toEqual(['finalize-checkpoint']);
});

test('without that snapshot, and in another step, there is nothing to go on with', () => {
  const error = { code: 'x', message: 'x' };
  const turns = [
    after(...first, asked('b'), { ...finalized, discarded: true }),
    after(...first, asked('b'), { ...finalized, error }),
    after(...first, asked('b'), finalized, allowed('b'), created, ...ran('b'), step(call('c'))),
    after(...first, ...ran('b'), step(call('c')), asked('c')),
  ].map(({ turn }) => turn?.paused);
  expect(turns).toEqual([undefined, undefined, undefined, undefined]);
});
