import { expect, test } from 'bun:test';
import { type ChangeReport, NO_CHANGES } from '../../protocol/change-report.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { ToolCall, ToolEffect } from '../../protocol/tool.ts';
import { redactEvent } from '../secrets/redact-event.ts';
import { fold } from './evolve.ts';
import { next } from './next.ts';
import { askedCall, DEFAULT_SETTINGS } from './state.ts';

const asked: SessionEvent = { type: 'approval.requested', callId: 'c1', preview: { undoable: true } };
const report: ChangeReport = { ...NO_CHANGES, unknown: ['what make does'] };

function callOf(effect: ToolEffect): ToolCall {
  return { id: 'c1', name: 'aish.exec', arguments: { command: 'make' }, effect, origin: 'model' };
}

function measured(question: number): SessionEvent {
  return { type: 'impact.estimated', callId: 'c1', prompt: question, report };
}

function after(effect: ToolEffect, ...events: readonly SessionEvent[]) {
  return fold([
    { type: 'session.created', id: 's1', cwd: '/app', settings: DEFAULT_SETTINGS },
    { type: 'turn.started', turn: 1, text: 'go' },
    { type: 'step.completed', text: '', calls: [callOf(effect)], finish: 'tool_calls', model: 'm' },
    ...events,
  ]);
}

test('what a call would touch is counted while it is asked about, once, and kept with the question', () => {
  const call = callOf('exec');
  expect(next(after('exec', asked))).toEqual([{ type: 'measure-call', key: 'measure-c1-1', call, question: 1 }]);
  expect(next(after('exec', asked, measured(1)))).toEqual([]);
  expect(askedCall(after('exec', asked, measured(1)))?.impact).toEqual(report);
});

test('an answer that says that counting goes on is kept, and the counting goes on', () => {
  const first: SessionEvent = {
    type: 'impact.estimated',
    callId: 'c1',
    prompt: 1,
    report: { ...report, counting: true },
  };
  expect(next(after('exec', asked, first)).map(({ key }) => key)).toEqual(['measure-c1-1']);
  expect(askedCall(after('exec', asked, first))?.impact).toEqual({ ...report, counting: true });
  expect(next(after('exec', asked, first, measured(1)))).toEqual([]);
  expect(askedCall(after('exec', asked, first, measured(1)))?.impact).toEqual(report);
});

test('a call that only reads is not counted', () => {
  expect(next(after('read', asked))).toEqual([]);
});

test('a question that comes again is counted again, and what was counted for the one before it is dropped', () => {
  const again = after('exec', asked, measured(1), asked);
  expect(askedCall(again)?.impact).toBeUndefined();
  expect(next(again).map(({ key }) => key)).toEqual(['measure-c1-2']);
  expect(askedCall(after('exec', asked, asked, measured(1)))?.impact).toBeUndefined();
});

test('nothing is counted any more once the question is answered or edited', () => {
  const decide = (decision: 'allow' | 'edit'): SessionEvent => ({
    type: 'approval.decided',
    callId: 'c1',
    decision,
    by: 'user',
    ...(decision === 'edit' ? { command: 'ls' } : {}),
  });
  const keys = (decision: 'allow' | 'edit') => next(after('exec', asked, decide(decision))).map(({ type }) => type);
  expect([keys('allow'), keys('edit')]).toEqual([['create-checkpoint'], ['prepare-call']]);
});

test('names that are secret leave what was counted', () => {
  const effect = {
    kind: 'deletes',
    files: 1,
    folders: 0,
    bytes: 1,
    untracked: null,
    ignored: null,
    modified: null,
    outside: 0,
    samples: ['/app/canary'],
  } as const;
  const told: ChangeReport = {
    effects: [effect],
    hosts: ['canary.org'],
    unknown: ['canary'],
    notes: ['canary'],
    counting: true,
  };
  const cover = { text: (text: string) => text, known: (text: string) => text.replaceAll('canary', '⟨secret⟩') };
  expect(redactEvent({ type: 'impact.estimated', callId: 'c1', prompt: 1, report: told }, cover)).toEqual({
    type: 'impact.estimated',
    callId: 'c1',
    prompt: 1,
    report: {
      effects: [{ ...effect, samples: ['/app/⟨secret⟩'] }],
      hosts: ['⟨secret⟩.org'],
      unknown: ['⟨secret⟩'],
      notes: ['⟨secret⟩'],
      counting: true,
    },
  });
});
