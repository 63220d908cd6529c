import { describe, expect, test } from 'bun:test';
import type { SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { decide } from './decide.ts';
import { fold } from './evolve.ts';
import { next } from './next.ts';
import { DEFAULT_SETTINGS, EMPTY_STATE, type SessionState } from './state.ts';

const settings = { ...DEFAULT_SETTINGS, approve: 'all', autoRun: 'read-only' } as const;
const created: SessionEvent = { type: 'session.created', id: 's', cwd: '/app', settings };
const started: SessionEvent = { type: 'turn.started', turn: 1, text: 'go' };
const call: ToolCall = { id: 'call00000', name: 'fs.write', arguments: {}, effect: 'write', origin: 'model' };
const stepped: SessionEvent = { type: 'step.completed', text: '', calls: [call], finish: 'tool_calls', model: 'm' };
const asked: SessionEvent = { type: 'approval.requested', callId: call.id, preview: { undoable: true } };
const allowed: SessionEvent = { type: 'approval.decided', callId: call.id, decision: 'allow', by: 'user' };
const checkpoint = { id: 'c1', ref: 'refs/aish/c1', commit: 'a'.repeat(40), root: '/app', label: 'before', at: 0 };
const snapshotTaken: SessionEvent = { type: 'checkpoint.created', callId: call.id, checkpoint };
const running: SessionEvent = { type: 'tool-call.started', callId: call.id };
const done: SessionEvent = { type: 'tool-call.completed', callId: call.id, text: 'ok', isError: false };
const [one, two] = ['a', 'b'].map((id): ToolCall => ({ ...call, id, name: `fs.${id}`, effect: 'read' }));
const reading: SessionEvent = { ...stepped, calls: [one, two].flatMap((each) => each ?? []) };
const both = ['a', 'b'].map((callId): SessionEvent => ({ ...allowed, callId }));
const restoring: SessionEvent = { type: 'restore.started', checkpoint: null };
const own: SessionEvent = { type: 'command.started', line: 'make', driver: 'user' };

/** Every stage that a session can be in, by the facts that lead to it, and what a halt leaves to be done there. */
const STAGES: readonly (readonly [string, readonly SessionEvent[], readonly string[], readonly string[]])[] = [
  ['idle', [], [], []],
  ['a request', [started], [], ['request']],
  ['a request that streams', [started, { type: 'text.delta', text: 'Hel' }], [], ['request']],
  ['a call that is prepared', [started, stepped], [], ['call fs.write']],
  ['a question', [started, stepped, asked], [], ['approval fs.write']],
  ['a checkpoint being made', [started, stepped, asked, allowed], [], ['checkpoint fs.write']],
  ['a call about to run', [started, stepped, asked, allowed, snapshotTaken], ['finalize-checkpoint'], ['call fs.write']],
  ['a running call', [started, stepped, asked, allowed, snapshotTaken, running], ['finalize-checkpoint'], ['call fs.write']],
  ['a question behind a call that waits for it', [started, reading, ...both.slice(0, 1), { ...asked, callId: 'b' }], [], ['approval fs.b']],
  [
    'calls that run side by side',
    [started, reading, ...both, { ...running, callId: 'a' }, { ...running, callId: 'b' }],
    [],
    ['call fs.a', 'call fs.b'],
  ],
  ['the next request', [started, stepped, asked, allowed, snapshotTaken, running, done], ['finalize-checkpoint'], ['request']],
  ['a turn to be stopped after its step', [started, stepped, { type: 'turn.stop-requested' }], [], ['call fs.write']],
  ['a restore', [restoring], ['restore-checkpoint'], ['restore']],
  ['a dry run', [{ type: 'dry-run.started', number: 1, line: 'make' }], [], ['dry-run make']],
  ["a user's command", [own], ['run-command'], ['command make']],
];

function at(events: readonly SessionEvent[]): SessionState {
  return fold([created, ...events]);
}

function halted(events: readonly SessionEvent[]): SessionState {
  return fold([created, ...events, ...decide(at(events), { type: 'halt' })]);
}

describe('a halt', () => {
  test.each(STAGES)('leaves nothing of the model to be done at %s', (_stage, events, left) => {
    expect(next(halted(events)).map(({ type }) => type)).toEqual([...left] as never);
  });

  test.each(STAGES)('is told with what it found at %s', (_stage, events, _left, found) => {
    const [fact] = decide(at(events), { type: 'halt', by: 'terminal' });
    const running = found.map((words) => {
      const [what, name] = words.split(' ');
      return name === undefined ? { what } : { what, name };
    });
    expect(fact).toEqual({ type: 'session.halted', by: 'terminal', running } as never);
  });

  test('falls back to asking, also where the session is resumed, until the user says otherwise', () => {
    const after = halted([started]);
    expect([after.settings.approve, after.settings.autoRun]).toEqual(['ask', 'none']);
    const log = [created, started, ...decide(at([started]), { type: 'halt' })];
    const resumed = fold([...log, { type: 'session.resumed', settings }]);
    expect([resumed.settings.approve, resumed.settings.autoRun]).toEqual(['ask', 'none']);
    const otherModel = fold([...log, { type: 'settings.changed', settings: { ...after.settings, model: 'x' } }]);
    expect(otherModel.halted).toBe(true);
    const lifted = fold([...log, { type: 'settings.changed', settings: { ...after.settings, approve: 'read-only' } }]);
    expect([lifted.halted, lifted.settings.approve]).toEqual([undefined, 'read-only']);
  });

  test('is lifted by any word about what is approved, asking too: what only looks runs without asking as before', () => {
    const log = [created, started, ...decide(at([started]), { type: 'halt' })];
    const again = decide(fold(log), { type: 'halt' });
    const resumed: SessionEvent = { type: 'session.resumed', settings };
    for (const facts of [log, [...log, ...again], [...log, resumed]]) {
      const lift = decide(fold(facts), { type: 'configure', settings: { approve: 'ask' } });
      const lifted = fold([...facts, ...lift]);
      expect([lifted.halted, lifted.autoRunBefore, lifted.settings.approve, lifted.settings.autoRun]).toEqual([
        undefined,
        undefined,
        'ask',
        settings.autoRun,
      ]);
    }
    const other = decide(fold(log), { type: 'configure', settings: { model: 'x' } });
    expect(fold([...log, ...other]).settings.autoRun).toBe('none');
  });

  test('answers every open call, so that the next request is well formed', () => {
    const { entries, turn } = halted([started, stepped, asked]);
    expect(turn).toBeNull();
    expect(entries.map(({ type }) => type)).toEqual(['user', 'assistant', 'result', 'unanswered']);
  });

  test('lets a restore end with the file it is at', () => {
    expect(halted([restoring]).restore).toEqual({ checkpoint: null, halted: true });
  });

  test('a command of the user that waits for the snapshot after a step has not begun, and does not', () => {
    const waiting = [started, stepped, asked, allowed, snapshotTaken, running, done, own];
    const ended: SessionEvent = { type: 'turn.ended', reason: 'completed' };
    const state = fold([created, ...waiting.slice(0, -1), ended, own]);
    const facts = decide(state, { type: 'halt' });
    expect(facts.map(({ type }) => type)).toEqual(['session.halted', 'command.completed']);
    expect(next(fold([created, ...waiting.slice(0, -1), ended, own, ...facts])).map(({ type }) => type)).toEqual(['finalize-checkpoint']);
  });
});

test('a halt of an empty state is no harm', () => {
  expect(next(fold(decide(EMPTY_STATE, { type: 'halt' })))).toEqual([]);
});
