import { expect, test } from 'bun:test';
import type { DryRunReport } from '../../protocol/change-report.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { decide } from './decide.ts';
import { fold } from './evolve.ts';
import { next } from './next.ts';
import { DEFAULT_SETTINGS, isAtRest, type SessionState } from './state.ts';

const created: SessionEvent = { type: 'session.created', id: 's1', cwd: '/app', settings: DEFAULT_SETTINGS };
const call: ToolCall = { id: 'c1', name: 'aish.exec', arguments: { command: 'make' }, effect: 'exec', origin: 'model' };
const report: DryRunReport = {
  way: 'overlay',
  project: '/app',
  record: { line: 'make', driver: 'model', exit: 0, cwd: '/app', output: '', bytes: 0, durationMs: 1, handle: 4 },
  items: [],
  count: 3,
  effects: [],
  hosts: [],
  unknown: [],
  notes: [],
};
const asked: readonly SessionEvent[] = [
  { type: 'turn.started', turn: 1, text: 'go' },
  { type: 'step.completed', text: '', calls: [call], finish: 'tool_calls', model: 'm' },
  { type: 'approval.requested', callId: 'c1', preview: { undoable: true } },
];
const started: SessionEvent = { type: 'dry-run.started', number: 1, line: 'make', callId: 'c1' };
const own: SessionEvent = { type: 'dry-run.started', number: 1, line: 'make' };
const completed: SessionEvent = { type: 'dry-run.completed', number: 1, report };

const after = (...events: readonly SessionEvent[]): SessionState => fold([created, ...events]);
const wanted = (state: SessionState) => next(state).map(({ key }) => key);
const refusal = (facts: readonly SessionEvent[]) => facts.map((fact) => (fact.type === 'op.rejected' ? fact.error.code : fact.type));

test('a line that changed nothing leaves no question, and a call that changed nothing does', () => {
  const nothing: SessionEvent = { type: 'dry-run.completed', number: 1, report: { ...report, count: 0 } };
  const state = after(own, nothing);
  expect([state.dryRun, state.outputs.length, wanted(state), isAtRest(state)]).toEqual([null, 1, [], true]);
  expect(after(...asked, started, nothing).dryRun?.stage).toBe('shown');
});

test('the question about a command can be tried in a dry run, and stays open meanwhile', () => {
  const state = after(...asked);
  expect(decide(state, { type: 'dry-run', callId: 'c1', prompt: 1 })).toEqual([started]);
  const running = after(...asked, started);
  expect(wanted(running)).toEqual(['measure-c1-1', 'dry-run-1']);
  expect(decide(running, { type: 'decide', callId: 'c1', by: 'user', decision: { type: 'deny' } })).toMatchObject([
    { type: 'approval.decided', decision: 'deny' },
    { type: 'tool-call.completed' },
  ]);
  expect(refusal(decide(running, { type: 'dry-run', callId: 'c1' }))).toEqual(['dry-run.running']);
});

test('another call, another question and a turn of its own are refused', () => {
  const state = after(...asked);
  expect(refusal(decide(state, { type: 'dry-run', callId: 'c2' }))).toEqual(['dry-run.not-asked']);
  expect(refusal(decide(state, { type: 'dry-run', callId: 'c1', prompt: 2 }))).toEqual(['dry-run.not-asked']);
  expect(refusal(decide(state, { type: 'dry-run', line: 'ls' }))).toEqual(['session.busy']);
  expect(refusal(decide(after(own), { type: 'send', text: 'x' }))).toEqual(['dry-run.running']);
});

test('applying is the answer to the question, with a checkpoint before it and the view kept until it is done', () => {
  const shown = after(...asked, started, completed);
  expect(shown.outputs).toEqual([report.record]);
  const facts = decide(shown, { type: 'apply', items: [1, 3] });
  expect(facts).toEqual([
    { type: 'dry-run.applying', number: 1, items: [1, 3] },
    { type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'user' },
  ]);
  const applying = after(...asked, started, completed, ...facts);
  expect(wanted(applying)).toEqual(['checkpoint-c1', 'dry-run-1']);
  const done = after(...asked, started, completed, ...facts, {
    type: 'tool-call.completed',
    callId: 'c1',
    text: '',
    isError: false,
  });
  expect(done.dryRun).toBeNull();
});

test('what is not in the list is not applied, and nothing before it is shown', () => {
  expect(refusal(decide(after(...asked, started), { type: 'apply' }))).toEqual(['dry-run.none']);
  const shown = after(...asked, started, completed);
  expect(refusal(decide(shown, { type: 'apply', items: [4] }))).toEqual(['dry-run.unknown-item']);
  expect(refusal(decide(shown, { type: 'apply', items: [] }))).toEqual(['dry-run.unknown-item']);
});

test('an interrupt ends a running dry run, and the turn only after that', () => {
  const running = after(...asked, started);
  const dropped = decide(running, { type: 'interrupt' });
  expect(dropped).toEqual([{ type: 'dry-run.discarded', number: 1 }]);
  const back = after(...asked, started, ...dropped);
  expect([back.dryRun, back.turn?.open[0]?.stage]).toEqual([null, 'asked']);
  expect(decide(back, { type: 'interrupt' })).toMatchObject([{ type: 'turn.ended' }]);
});

test('any other answer, the end of the turn, a halt and a resume end it', () => {
  const ends: readonly SessionEvent[] = [
    { type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'user' },
    { type: 'turn.ended', reason: 'interrupted' },
    { type: 'session.resumed', settings: DEFAULT_SETTINGS },
    { type: 'dry-run.discarded', number: 1 },
  ];
  expect(ends.map((end) => after(...asked, started, completed, end).dryRun)).toEqual([null, null, null, null]);
});

test('one of the user is a question of its own, applied between two snapshots', () => {
  const shown = after(own, completed);
  expect([isAtRest(shown), wanted(shown)]).toEqual([false, ['dry-run-1']]);
  const applying = [own, completed, ...decide(shown, { type: 'apply' })];
  expect(wanted(after(...applying))).toEqual(['dry-run-1', 'apply-1']);
  const checkpoint = { id: 'c7', ref: 'r', commit: 'c', root: '/app', label: 'l', at: 0 };
  const snapshotTaken: SessionEvent = { type: 'checkpoint.created', callId: 'dry-run-1', checkpoint };
  expect(wanted(after(...applying, snapshotTaken))).toEqual(['dry-run-1', 'apply-1']);
  const applied: SessionEvent = {
    type: 'dry-run.applied',
    number: 1,
    report: { applied: [], left: [], conflicts: [] },
  };
  expect(wanted(after(...applying, snapshotTaken, applied))).toEqual(['seal-c7']);
  expect(isAtRest(after(...applying, snapshotTaken, applied))).toBe(true);
});

test('an interrupt and a halt end the applying of one of the user, for as long as it lasts', () => {
  const applying = [own, completed, ...decide(after(own, completed), { type: 'apply' })];
  const state = after(...applying);
  expect(decide(state, { type: 'interrupt' })).toEqual([{ type: 'dry-run.discarded', number: 1 }]);
  const halted = decide(state, { type: 'halt', by: 'user' });
  expect(halted).toMatchObject([{ type: 'session.halted', running: [{ what: 'dry-run', name: 'make' }] }]);
  expect(after(...applying, ...halted).dryRun).toBeNull();
});

test('one that could not be tried leaves the question as it was', () => {
  const failed: SessionEvent = { type: 'dry-run.completed', number: 1, error: { code: 'x', message: 'no' } };
  const state = after(...asked, started, failed);
  expect([state.dryRun, state.turn?.open[0]?.stage]).toEqual([null, 'asked']);
});
