import { expect, test } from 'bun:test';
import type { Contract } from '../../protocol/contract.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { decide } from './decide.ts';
import { evolve, fold } from './evolve.ts';
import { next } from './next.ts';
import { DEFAULT_SETTINGS, type SessionState } from './state.ts';

const contract: Contract = { goal: 'g', until: ['make'], only: ['.'], limits: { steps: 5, minutes: 1, tokens: 100 } };
const RECORD = { line: 'make', exit: 1, driver: 'model', cwd: '/w', output: '', bytes: 0, durationMs: 1 } as const;
const CREATED: SessionEvent = { type: 'session.created', id: 's', cwd: '/w', settings: DEFAULT_SETTINGS };
const STARTED: SessionEvent = { type: 'contract.started', number: 1, contract };
const CHECKED: SessionEvent = { type: 'contract.checked', number: 1, records: [RECORD], tree: 't', changed: [], pinned: [] };
const TURN: SessionEvent = { type: 'turn.started', turn: 1, text: 'g', contract: 1 };
const call = (id: string): ToolCall => ({ id, name: 'aish.exec', arguments: { command: 'x' }, effect: 'exec', origin: 'model' });
const CALLED: EventOf<'step.completed'> = {
  type: 'step.completed',
  text: '',
  calls: [call('c1'), call('c2')],
  finish: 'tool_calls',
  model: 'm',
};
const ALLOWED: SessionEvent = { type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'policy', rule: 'the contract' };
const CHECKPOINT = { id: 'c7', ref: 'r', commit: 'x', root: '/w', label: 'l', at: 1 };
const TAKEN: SessionEvent = { type: 'checkpoint.created', callId: 'c1', checkpoint: CHECKPOINT };
const RUNS: SessionEvent = { type: 'tool-call.started', callId: 'c1' };
const RAN: SessionEvent = { type: 'tool-call.completed', callId: 'c1', text: 'x', isError: false };
const WORKING = [CREATED, STARTED, CHECKED, TURN] as const;

function submit(state: SessionState, ...ops: readonly Op[]): SessionState {
  return ops.reduce((before, op) => decide(before, op).reduce(evolve, before), state);
}

const typesOf = (state: SessionState) => next(state).map(({ type }) => type);
const PAUSE: Op = { type: 'pause-contract' };
const CONTINUE: Op = { type: 'continue-contract' };
const STOP: Op = { type: 'interrupt' };

test('during a pause what runs finishes, and nothing begins', () => {
  const checking = submit(fold([CREATED, STARTED]), PAUSE);
  expect(typesOf(checking)).toEqual(['check-contract']);
  expect(typesOf(evolve(checking, CHECKED))).toEqual([]);
  expect(typesOf(submit(evolve(checking, CHECKED), CONTINUE))).toEqual(['time-contract', 'continue-contract']);
  const asking = submit(fold(WORKING), PAUSE);
  expect(typesOf(asking)).toEqual(['request-model']);
  expect(typesOf(evolve(asking, CALLED))).toEqual([]);
});

test('what the user changes during a pause within a step does not belong to the step', () => {
  const running = submit(fold([...WORKING, CALLED, ALLOWED, TAKEN, RUNS]), PAUSE);
  expect(typesOf(running)).toEqual(['run-tool']);
  const paused = evolve(running, RAN);
  expect(typesOf(paused)).toEqual(['finalize-checkpoint']);
  const kept = evolve(paused, { type: 'checkpoint.finalized', id: 'c7' });
  expect(typesOf(kept)).toEqual([]);
  expect(typesOf(submit(kept, CONTINUE))).toEqual(['time-contract', 'prepare-call']);
});

test('a paused run can be stopped and halted', () => {
  const paused = submit(fold(WORKING), PAUSE);
  expect(submit(paused, STOP)).toMatchObject({ contractRun: null, endedRun: { end: { reason: 'stopped' } } });
  expect(submit(paused, { type: 'halt' })).toMatchObject({ contractRun: null, halted: true });
});

test('only a run can be paused, and only a paused one continues', () => {
  const refusals = [decide(fold([CREATED]), PAUSE), decide(fold(WORKING), CONTINUE), decide(submit(fold(WORKING), PAUSE), PAUSE)].map(
    ([event]) => (event?.type === 'op.rejected' ? event.error.code : event?.type),
  );
  expect(refusals).toEqual(['contract.none', 'contract.not-paused', 'contract.paused']);
});

test('a message steers a run: the running call finishes, no other begins, and the run goes on with the message', () => {
  const running = submit(fold([...WORKING, CALLED, ALLOWED, TAKEN, RUNS]), { type: 'send', text: 'use awk' });
  expect(typesOf(running)).toEqual(['time-contract', 'run-tool']);
  expect(typesOf(evolve(running, RAN))).toEqual(['time-contract', 'end-turn']);
  const left = evolve(evolve(running, RAN), { type: 'turn.ended', reason: 'interrupted' });
  expect(typesOf(left)).toEqual(['time-contract', 'finalize-checkpoint']);
  const ended = evolve(left, { type: 'checkpoint.finalized', id: 'c7' });
  expect(next(ended)).toMatchObject([{ type: 'time-contract' }, { type: 'continue-contract', run: { steering: [{ text: 'use awk' }] } }]);
});

test('an answer that streams ends for a message; a stop afterwards still ends the run', () => {
  const steered = submit(fold(WORKING), { type: 'send', text: 'use awk' });
  expect(steered).toMatchObject({ turn: null, contractRun: { stage: 'working' } });
  const running = submit(fold([...WORKING, CALLED, ALLOWED, TAKEN, RUNS]), { type: 'send', text: 'use awk' }, STOP);
  expect(running).toMatchObject({ turn: null, contractRun: null, endedRun: { end: { reason: 'stopped' } } });
});

test('the model learns what the user changed in the plan with the next request, after the results of its calls', () => {
  const running = submit(fold([...WORKING, CALLED, ALLOWED, TAKEN, RUNS]), { type: 'edit-plan', add: 'test it\u001b[2J' });
  expect(running.entries.at(-1)).toMatchObject({ type: 'assistant' });
  const done = [RAN, { ...RAN, callId: 'c2' } as const].reduce(evolve, running);
  const text = 'x\n\n[aish] The user changed your plan. It is now:\n1. [open] test it';
  expect(done.entries.at(-1)).toEqual({ type: 'result', callId: 'c2', text });
  const asking = submit(fold(WORKING), { type: 'edit-plan', add: 'a' });
  expect(asking.entries.at(-1)).toMatchObject({ type: 'user' });
  const asked = submit(fold([...WORKING, { ...CALLED, calls: [call('c1')] }, RAN]), PAUSE, { type: 'edit-plan', add: 'a' });
  expect(submit(asked, CONTINUE).entries.at(-1)).toEqual({ type: 'result', callId: 'c1', text: 'x' });
  const between = submit(evolve(evolve(asked, { ...CALLED, calls: [call('c3')] }), { ...RAN, callId: 'c3' }), CONTINUE);
  expect(between.entries.at(-1)).toMatchObject({ type: 'result', text: expect.stringContaining('1. [open] a') });
});

test('an item that the user drops stays in the plan; an item that is not there is refused', () => {
  const added = submit(fold(WORKING), { type: 'edit-plan', add: 'a' }, { type: 'edit-plan', drop: 1 });
  expect(added.contractRun?.plan).toEqual([{ text: 'a', state: 'dropped' }]);
  expect(decide(added, { type: 'edit-plan', drop: 2 })).toMatchObject([{ type: 'op.rejected', error: { code: 'plan.unchanged' } }]);
  expect(decide(fold([CREATED]), { type: 'edit-plan', add: 'a' })).toMatchObject([{ error: { code: 'contract.none' } }]);
});
