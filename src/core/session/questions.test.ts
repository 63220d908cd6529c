import { expect, test } from 'bun:test';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Decision, Op, OpOf } from '../../protocol/op.ts';
import type { CommandDecision, ToolCall } from '../../protocol/tool.ts';
import { decide } from './decide.ts';
import { fold } from './evolve.ts';
import { next } from './next.ts';
import { DEFAULT_SETTINGS, type SessionState } from './state.ts';

const created: SessionEvent = { type: 'session.created', id: 's1', cwd: '/app', settings: DEFAULT_SETTINGS };
const started: SessionEvent = { type: 'turn.started', turn: 1, text: 'go' };
const decided: CommandDecision = {
  class: 'read-only',
  decision: 'ask',
  reasons: [],
  hardDenials: [],
  cwd: '/app',
  proposal: [
    { prefix: 'git log', class: 'read-only' },
    { prefix: 'head', class: 'read-only' },
  ],
};

function exec(id: string, command = 'git log | head'): ToolCall {
  return { id, name: 'aish.exec', arguments: { command }, effect: 'exec', origin: 'model' };
}

function step(...calls: readonly ToolCall[]): SessionEvent {
  return { type: 'step.completed', text: '', calls, finish: 'tool_calls', model: 'm' };
}

function question(callId = 'c1', of: CommandDecision = decided): SessionEvent {
  return { type: 'approval.requested', callId, preview: { undoable: true, decided: of } };
}

const after = (...events: readonly SessionEvent[]): SessionState => fold([created, started, step(exec('c1')), ...events]);

function answer(decision: Decision, more: Partial<OpOf<'decide'>> = {}): Op {
  return { type: 'decide', callId: 'c1', decision, by: 'user', ...more };
}

const wanted = (state: SessionState) => next(state).map(({ type }) => type);

test('always for a command makes the rules that were proposed, together, and no others', () => {
  const asked = after(question());
  const facts = decide(asked, answer({ type: 'allow-always', rule: 'git log, head' }));
  expect(facts).toEqual([{ type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'user', commands: ['git log', 'head'] }]);
  expect(after(question(), ...facts).settings.commands).toEqual({ approve: ['git log', 'head'], ask: [], deny: [] });
  for (const rule of ['git log', 'git', 'aish.exec', 'head, git log'])
    expect(decide(asked, answer({ type: 'allow-always', rule }))).toMatchObject([{ type: 'op.rejected', error: { code: 'rule.refused' } }]);
});

test('always is refused for a command for which no rule was proposed', () => {
  const { proposal: _, ...bare } = decided;
  expect(decide(after(question('c1', bare)), answer({ type: 'allow-always', rule: '' }))).toMatchObject([
    { type: 'op.rejected', error: { code: 'rule.refused' } },
  ]);
});

test('an answer to an earlier question about the same call is refused, and one to the latest is taken', () => {
  const twice = after(question(), question('c1', { ...decided, cwd: '/' }));
  expect(decide(twice, answer({ type: 'allow' }, { prompt: 1 }))).toMatchObject([
    { type: 'op.rejected', error: { code: 'call.asked-again' } },
  ]);
  expect(decide(twice, answer({ type: 'allow' }, { prompt: 2 }))).toMatchObject([{ type: 'approval.decided' }]);
});

test('a yes is used once: the call that was allowed is not asked about any more', () => {
  const allowed = after(question(), { type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'user' });
  expect(decide(allowed, answer({ type: 'allow' }))).toMatchObject([{ type: 'op.rejected', error: { code: 'call.not-asked' } }]);
});

test('a question that is asked again takes the yes before it back', () => {
  const yes: SessionEvent = { type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'user' };
  const skipped: SessionEvent = { type: 'checkpoint.skipped', callId: 'c1', why: '-' };
  expect([wanted(after(question(), yes, skipped)), wanted(after(question(), yes, skipped, question()))]).toEqual([
    ['run-tool'],
    ['measure-call'],
  ]);
});

const changing: CommandDecision = { ...decided, class: 'mutating' };

test('a call that is decided about again gets a checkpoint of where it is then', () => {
  const yes: SessionEvent = { type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'user' };
  const skipped: SessionEvent = { type: 'checkpoint.skipped', callId: 'c1', why: '-' };
  const rule: SessionEvent = { ...yes, by: 'policy', rule: 'git log' };
  expect([
    wanted(after(question('c1', changing), yes, skipped, question('c1', changing), yes)),
    wanted(after(rule, skipped, rule)),
    wanted(after(rule, skipped, rule, skipped)),
  ]).toEqual([['create-checkpoint'], ['create-checkpoint'], ['run-tool']]);
});

test('a command that only reads runs without a checkpoint, and any other waits for one', () => {
  const yes: SessionEvent = { type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'user' };
  expect([wanted(after(question(), yes)), wanted(after(question('c1', changing), yes))]).toEqual([['run-tool'], ['create-checkpoint']]);
});

test('an edited command keeps its call, and is looked at as if it were new', () => {
  const facts = decide(after(question()), answer({ type: 'edit', command: 'git log -1' }));
  expect(facts).toEqual([{ type: 'approval.decided', callId: 'c1', decision: 'edit', by: 'user', command: 'git log -1' }]);
  const edited = after(question(), ...facts);
  expect(edited.turn?.open).toEqual([{ call: exec('c1', 'git log -1'), stage: 'new', questions: 1, edited: true }]);
  expect(wanted(edited)).toEqual(['prepare-call']);
  expect(decide(edited, answer({ type: 'allow' }))).toMatchObject([{ type: 'op.rejected' }]);
});

test('only a user changes a command, only a command is changed, and never into nothing', () => {
  const write: ToolCall = { ...exec('c1'), name: 'aish.write_file', effect: 'write' };
  const asked: SessionEvent = { type: 'approval.requested', callId: 'c1', preview: { undoable: true } };
  const states = [
    decide(after(question()), answer({ type: 'edit', command: 'ls' }, { by: 'headless' })),
    decide(after(question()), answer({ type: 'edit', command: ' ' })),
    decide(fold([created, started, step(write), asked]), answer({ type: 'edit', command: 'ls' })),
  ];
  for (const facts of states) expect(facts).toMatchObject([{ type: 'op.rejected', error: { code: 'call.not-editable' } }]);
});

const ids = ['c1', 'c2', 'c3', 'c4'];

function refused(id: string, by: 'user' | 'policy' | 'headless'): readonly SessionEvent[] {
  return [
    { type: 'approval.decided', callId: id, decision: 'deny', by },
    { type: 'tool-call.completed', callId: id, text: 'no', isError: true },
  ];
}

test('three refusals in a row end the turn, no matter who refused', () => {
  const begun = fold([created, started, step(...ids.map((id) => exec(id))), ...refused('c1', 'user')]);
  const twice = fold([created, started, step(...ids.map((id) => exec(id))), ...refused('c1', 'user'), ...refused('c2', 'policy')]);
  const thrice = fold([
    created,
    started,
    step(...ids.map((id) => exec(id))),
    ...refused('c1', 'user'),
    ...refused('c2', 'policy'),
    ...refused('c3', 'user'),
  ]);
  expect([wanted(begun), wanted(twice), next(thrice)]).toEqual([
    ['prepare-call'],
    ['prepare-call'],
    [{ type: 'end-turn', key: 'end-1', reason: 'denied' }],
  ]);
});

test('a call that is allowed between refusals, or nobody who could refuse, ends no turn', () => {
  const calls = step(...ids.map((id) => exec(id)));
  const allowed: SessionEvent = { type: 'approval.decided', callId: 'c3', decision: 'allow', by: 'user' };
  const broken = fold([created, started, calls, ...refused('c1', 'user'), ...refused('c2', 'user'), allowed]);
  const done: SessionEvent = { type: 'tool-call.completed', callId: 'c3', text: 'ok', isError: false };
  const events = [...refused('c1', 'user'), ...refused('c2', 'user'), allowed, done, ...refused('c4', 'user')];
  const nobody = fold([created, started, calls, ...ids.slice(0, 3).flatMap((id) => refused(id, 'headless'))]);
  expect([broken.turn?.refusals, wanted(fold([created, started, calls, ...events])), wanted(nobody)]).toEqual([
    0,
    ['request-model'],
    ['prepare-call'],
  ]);
});

test('a log from before there were rules for commands takes a rule', () => {
  const { commands: _, ...settings } = DEFAULT_SETTINGS;
  const old: SessionEvent = { type: 'session.created', id: 's1', cwd: '/app', settings };
  const yes: SessionEvent = {
    type: 'approval.decided',
    callId: 'c1',
    decision: 'allow',
    by: 'user',
    commands: ['ls'],
  };
  const state = fold([old, started, step(exec('c1')), question(), yes]);
  expect(state.settings.commands).toEqual({ approve: ['ls'], ask: [], deny: [] });
});
