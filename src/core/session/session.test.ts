import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { NO_BLAST } from '../../protocol/blast-radius.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { isDurable } from '../../protocol/event.ts';
import type { Message } from '../../protocol/message.ts';
import type { Op } from '../../protocol/op.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { judge } from '../policy.ts';
import { toMessages } from '../prompt.ts';
import { decide } from './decide.ts';
import { evolve, fold, NOT_BEGUN, UNKNOWN_OUTCOME } from './evolve.ts';
import { DEPTH_LIMIT_REACHED, type Effect, next } from './next.ts';
import { DEFAULT_SETTINGS, EMPTY_STATE, isIdle, type SessionState, toCallId } from './state.ts';

const created: SessionEvent = { type: 'session.created', id: 's1', cwd: '/tmp', settings: DEFAULT_SETTINGS };
const started: SessionEvent = { type: 'turn.started', turn: 1, text: 'make a.txt with hello' };
const call: ToolCall = {
  id: 'call00000',
  name: 'fs.write_file',
  arguments: { path: 'a.txt' },
  effect: 'write',
  origin: 'model',
};
const called: SessionEvent = { type: 'step.completed', text: '', calls: [call], finish: 'tool_calls', model: 'm' };
const asked: SessionEvent = { type: 'approval.requested', callId: call.id, preview: { undoable: true } };
const approved: SessionEvent = { type: 'approval.decided', callId: call.id, decision: 'allow', by: 'person' };
const checkpoint = {
  id: 'c1',
  ref: 'refs/aish/c1',
  commit: 'f'.repeat(40),
  root: '/tmp',
  label: 'before fs.write_file',
  at: 1,
};
const checkpointed: SessionEvent = { type: 'checkpoint.created', callId: call.id, checkpoint };
const running: SessionEvent = { type: 'tool-call.started', callId: call.id };
const completed: SessionEvent = { type: 'tool-call.completed', callId: call.id, text: 'written', isError: false };
const answered: SessionEvent = {
  type: 'step.completed',
  text: 'Created a.txt.',
  calls: [],
  finish: 'stop',
  model: 'm',
};

const wanted = (...events: SessionEvent[]): string[] => next(fold([created, ...events])).map((effect) => effect.type);

test('a tool call is prepared, asked, checkpointed, run, and its checkpoint sealed beside the next request', () => {
  const log = [started, called, asked, approved, checkpointed, running, completed, answered];
  expect(log.map((_, length) => wanted(...log.slice(0, length + 1)))).toEqual([
    ['request-model'],
    ['prepare-call'],
    ['measure-call'],
    ['create-checkpoint'],
    ['run-tool'],
    ['run-tool'],
    ['seal-checkpoint', 'request-model'],
    ['seal-checkpoint', 'end-turn'],
  ]);
});

test('an interrupted call is answered, so the next request is well-formed', () => {
  const state = fold([
    created,
    started,
    called,
    asked,
    approved,
    checkpointed,
    running,
    { type: 'turn.ended', reason: 'interrupted' },
  ]);
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
  expect(next(fold([created, started, stop, called]))).toEqual([
    { type: 'end-turn', key: 'end-1', reason: 'interrupted' },
  ]);
  expect(next(fold([created, started, stop, answered]))).toEqual([
    { type: 'end-turn', key: 'end-1', reason: 'completed' },
  ]);
});

test('a stop after the step is recorded once', () => {
  const op: Op = { type: 'interrupt', after: 'step' };
  const state = fold([created, started]);
  expect(decide(state, op)).toEqual([{ type: 'turn.stop-requested' }]);
  expect(decide(evolve(state, { type: 'turn.stop-requested' }), op)).toEqual([]);
});

test('a log that ends anywhere waits for nothing after it was resumed', () => {
  const log = [created, started, called, asked, approved, checkpointed, running, completed, answered];
  for (let length = 1; length <= log.length; length += 1) {
    const state = fold([...log.slice(0, length), { type: 'session.resumed', settings: DEFAULT_SETTINGS }]);
    expect(next(state)).toEqual([]);
    expect(isIdle(state)).toBe(true);
  }
});

test('two clients decide at once: one wins, the other is refused', () => {
  const state = fold([created, started, called, asked]);
  const op: Op = { type: 'decide', callId: call.id, decision: { type: 'allow' }, by: 'person' };
  const [first] = decide(state, op);
  expect(first).toEqual(approved);
  expect(decide(evolve(state, approved), op).map((event) => event.type)).toEqual(['op.rejected']);
});

test('a refusal is a tool result with the reason of the person', () => {
  const state = fold([created, started, called, asked]);
  const events = decide(state, {
    type: 'decide',
    callId: call.id,
    decision: { type: 'deny', reason: 'wrong folder' },
    by: 'person',
  });
  const after = fold([created, started, called, asked, ...events]);
  expect(project(after).at(-1)).toEqual({
    role: 'tool',
    toolCallId: 'call00000',
    content: '[aish] tool call declined by user: wrong folder',
  });
  expect(next(after).map((effect) => effect.type)).toEqual(['request-model']);
});

test('the step after the depth limit is refused call by call and ends the turn', () => {
  const settings = { ...DEFAULT_SETTINGS, maxToolDepth: 1 };
  const second = { ...call, id: 'call00001' };
  const log: SessionEvent[] = [
    { ...created, settings },
    started,
    called,
    { ...completed },
    { ...called, calls: [second] },
  ];
  expect(next(fold(log))).toEqual([
    { type: 'refuse-call', key: 'refuse-call00001', call: second, text: DEPTH_LIMIT_REACHED },
  ]);
  expect(next(fold([...log, { ...completed, callId: 'call00001' }]))).toEqual([
    { type: 'end-turn', key: 'end-1', reason: 'depth-limit' },
  ]);
});

test('a rule the person adds holds for the next call and never for commands', () => {
  const always = decide(fold([created, started, called, asked]), {
    type: 'decide',
    callId: call.id,
    decision: { type: 'allow-always', rule: 'fs.write_file' },
    by: 'person',
  });
  const { settings } = fold([created, started, called, asked, ...always]);
  expect(judge(call, settings, { undoable: true })).toEqual({ decision: 'allow', rule: 'fs.write_file' });
  const exec = { ...call, name: 'aish.exec', effect: 'exec' } as const;
  expect(
    judge(exec, { ...settings, autoApprove: { 'aish.*': true, 'aish.exec': true }, approve: 'all' }, { undoable: true })
      .decision,
  ).toBe('ask');
});

test('a change that cannot be undone is asked although a rule allows it', () => {
  const settings = { ...DEFAULT_SETTINGS, autoApprove: { 'fs.*': true } };
  expect(judge(call, settings, { undoable: true }).decision).toBe('allow');
  expect(judge(call, settings, { undoable: false }).decision).toBe('ask');
  expect(judge({ ...call, name: 'other.write_file' }, settings, { undoable: true }).decision).toBe('ask');
});

test('the exact rule stands over the wildcard, and only the value true approves', () => {
  const settings = { ...DEFAULT_SETTINGS, autoApprove: { 'fs.*': true, 'fs.write_file': false } };
  expect(judge(call, settings, { undoable: true })).toEqual({ decision: 'ask', rule: 'fs.write_file' });
});

test('a history held elsewhere comes before the first message, in roles that alternate', () => {
  const imported: SessionEvent = {
    type: 'history.imported',
    messages: [
      { role: 'assistant', text: 'Hello.' },
      { role: 'user', text: 'My name is Ada.' },
    ],
  };
  expect(project(fold([created, imported, started])).slice(1)).toEqual([
    { role: 'user', content: '(the conversation began with what you said next)' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'My name is Ada.\n\nmake a.txt with hello' },
  ]);
});

test('a history that comes after the first message changes nothing', () => {
  const before = fold([created, started, answered]);
  expect(evolve(before, { type: 'history.imported', messages: [{ role: 'user', text: 'late' }] })).toEqual(before);
});

// --- Laws, over random runs of the machine -------------------------------------------------------------------------

/** A random world: what it does next with each effect or person, driven by numbers. */
interface Walk {
  readonly log: SessionEvent[];
  state: SessionState;
}

function step(walk: Walk, choice: number): void {
  const effects = next(walk.state);
  const pending = walk.state.turn?.open.find((open) => open.stage === 'asked');
  const action = choice % 11;
  if (action === 9) {
    push(walk, decide(walk.state, { type: 'interrupt' }));
    return;
  }
  if (action === 10) {
    push(walk, [{ type: 'session.resumed', settings: walk.state.settings }]);
    return;
  }
  if (pending && action < 6) {
    push(walk, decide(walk.state, personOp(pending.call.id, choice)));
    return;
  }
  const effect = effects[choice % Math.max(1, effects.length)];
  if (effect) {
    push(walk, finish(walk.state, effect, choice));
    return;
  }
  push(walk, decide(walk.state, idleOp(choice)));
}

function push(walk: Walk, events: readonly SessionEvent[]): void {
  for (const event of events) {
    walk.log.push(event);
    walk.state = evolve(walk.state, event);
  }
}

function personOp(callId: string, choice: number): Op {
  return {
    type: 'decide',
    callId,
    by: 'person',
    decision: choice % 2 ? { type: 'allow' } : { type: 'deny', reason: 'no' },
  };
}

function idleOp(choice: number): Op {
  if (choice % 3 === 0) return { type: 'run', line: 'ls' };
  if (choice % 7 === 0) return { type: 'restore', checkpoint: null };
  return { type: 'send', text: `question ${choice}` };
}

function finish(state: SessionState, effect: Effect, choice: number): SessionEvent[] {
  switch (effect.type) {
    case 'request-model':
      if (choice % 13 === 0) return [{ type: 'turn.ended', reason: 'failed', error: { code: 'x', message: 'x' } }];
      return [{ type: 'text.delta', text: 'par' }, answerOf(state, choice)];
    case 'compact':
      return [{ type: 'compaction.failed', error: { code: 'x', message: 'x' } }];
    case 'prepare-call':
      if (choice % 5 === 0)
        return [{ type: 'tool-call.completed', callId: effect.call.id, text: 'broken', isError: true }];
      return choice % 2
        ? [{ type: 'approval.requested', callId: effect.call.id, preview: { undoable: true } }]
        : [{ type: 'approval.decided', callId: effect.call.id, decision: 'allow', by: 'policy', rule: 'r' }];
    case 'measure-call':
      return [{ type: 'call.measured', callId: effect.call.id, question: effect.question, blast: NO_BLAST }];
    case 'create-checkpoint':
      return choice % 4 === 0
        ? [{ type: 'checkpoint.skipped', callId: effect.call.id, why: 'no repository' }]
        : [{ type: 'checkpoint.created', callId: effect.call.id, checkpoint: { ...checkpoint, id: `c${choice}` } }];
    case 'seal-checkpoint':
      return [{ type: 'checkpoint.sealed', id: effect.checkpoint.id }];
    case 'run-tool':
      return [
        { type: 'tool-call.started', callId: effect.call.id },
        ...(choice % 6 === 0
          ? []
          : [{ type: 'tool-call.completed', callId: effect.call.id, text: 'ok', isError: false } as const]),
      ];
    case 'refuse-call':
      return [{ type: 'tool-call.completed', callId: effect.call.id, text: effect.text, isError: true }];
    case 'end-turn':
      return [{ type: 'turn.ended', reason: effect.reason }];
    case 'run-command':
      return [
        {
          type: 'command.completed',
          record: { line: effect.line, driver: 'person', exit: 0, cwd: '/tmp', output: 'a\n', bytes: 2, durationMs: 1 },
        },
      ];
    case 'rehearse':
      return [{ type: 'rehearsal.dropped', number: effect.rehearsal.number }];
    case 'apply-rehearsal':
      return [{ type: 'rehearsal.applied', number: effect.rehearsal.number }];
    case 'restore-checkpoint':
      return [{ type: 'restore.completed', checkpoint: null, report: { restored: [], refused: [] } }];
  }
}

function answerOf(state: SessionState, choice: number): SessionEvent {
  const count = choice % 4;
  const origin = choice % 3 === 0 ? 'command-line' : 'model';
  const calls = Array.from(
    { length: count },
    (_, at): ToolCall => ({
      id: toCallId(state.calls + at),
      name: origin === 'model' ? 'fs.write_file' : 'aish.exec',
      arguments: { command: 'ls' },
      effect: origin === 'model' ? (choice % 2 ? 'write' : 'read') : 'exec',
      origin,
      ...(choice % 17 === 0 ? { invalid: 'unknown tool' } : {}),
    }),
  );
  return {
    type: 'step.completed',
    text: choice % 5 ? 'text' : '',
    calls,
    finish: count ? 'tool_calls' : 'stop',
    model: 'm',
  };
}

function project(state: SessionState): Message[] {
  const frame = { os: 'linux', shell: 'bash', cwd: '/tmp' };
  return toMessages(state, {
    frame,
    wireName: (name) => name.replace('.', '__'),
    toolTurns: 'role',
    outputBudget: 1000,
  });
}

function importedBy(choices: readonly number[]): SessionEvent {
  const messages = choices
    .slice(0, 5)
    .map((choice) => ({ role: choice % 2 ? 'user' : 'assistant', text: 't' }) as const);
  return { type: 'history.imported', messages };
}

const runs = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 120 });

function walkOf(choices: readonly number[], visit: (walk: Walk, before: SessionState) => void): void {
  const walk: Walk = { log: [], state: EMPTY_STATE };
  push(walk, choices.length % 2 ? [created, importedBy(choices)] : [created]);
  for (const choice of choices) {
    const before = walk.state;
    step(walk, choice);
    visit(walk, before);
  }
}

test('law: at every turn end the fold of the stored facts is the fold of all', () => {
  fc.assert(
    fc.property(runs, (choices) =>
      walkOf(choices, ({ log, state }) => {
        if (state.turn === null) expect(fold(log.filter(isDurable))).toEqual(state);
      }),
    ),
    { numRuns: 150 },
  );
});

test('law: every opened call is closed exactly once before the next request', () => {
  fc.assert(
    fc.property(runs, (choices) =>
      walkOf(choices, ({ state }) => {
        if (!next(state).some((effect) => effect.type === 'request-model')) return;
        const opened = state.entries.flatMap((entry) =>
          entry.type === 'assistant' ? entry.calls.map((item) => item.id) : [],
        );
        const closed = state.entries.flatMap((entry) => (entry.type === 'result' ? [entry.callId] : []));
        expect(closed).toEqual(opened);
      }),
    ),
    { numRuns: 150 },
  );
});

test('law: no changing call runs without a checkpoint, made or found impossible, after its approval', () => {
  fc.assert(
    fc.property(runs, (choices) =>
      walkOf(choices, ({ log, state }) => {
        for (const effect of next(state)) {
          if (effect.type !== 'run-tool' || effect.call.effect === 'read') continue;
          const step = log.findLastIndex((event) => event.type === 'step.completed');
          expect(
            log.slice(step).some((event) => event.type === 'checkpoint.created' || event.type === 'checkpoint.skipped'),
          ).toBe(true);
          expect(
            log.some(
              (event) =>
                event.type === 'approval.decided' && event.callId === effect.call.id && event.decision === 'allow',
            ),
          ).toBe(true);
        }
      }),
    ),
    { numRuns: 150 },
  );
});

test('law: every request alternates, answers each call at once and begins with the only system message', () => {
  fc.assert(
    fc.property(runs, (choices) =>
      walkOf(choices, ({ state }) => {
        if (next(state).some((effect) => effect.type === 'request-model')) expect(faultsOf(project(state))).toEqual([]);
      }),
    ),
    { numRuns: 150 },
  );
});

test('law: an idle session waits for nothing, and evolve throws on no event in any order', () => {
  fc.assert(
    fc.property(runs, (choices) => {
      const log: SessionEvent[] = [];
      walkOf(choices, (walk) => {
        log.splice(0, log.length, ...walk.log);
        if (isIdle(walk.state)) expect(next(walk.state)).toEqual([]);
      });
      const shuffled = log.map((_, at) => log[(at * 7919) % log.length]).filter((event) => event !== undefined);
      expect(() => fold(shuffled)).not.toThrow();
    }),
    { numRuns: 100 },
  );
});

function faultsOf(messages: readonly Message[]): string[] {
  const faults: string[] = [];
  messages.forEach((message, at) => {
    const before = messages[at - 1];
    if ((message.role === 'system') !== (at === 0)) faults.push(`system at ${at}`);
    if (message.role === 'user' && before?.role !== 'system' && before?.role !== 'assistant')
      faults.push(`user after ${before?.role}`);
    if (message.role === 'assistant' && before?.role === 'assistant') faults.push('assistant twice');
    if (message.role === 'assistant' && before?.role === 'system') faults.push('assistant first');
    if (before?.role === 'assistant' && before.toolCalls && message.role !== 'tool') faults.push('call without answer');
    if (message.role === 'tool' && before?.role !== 'tool' && before?.role !== 'assistant')
      faults.push('orphan result');
  });
  const last = messages.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') faults.push(`ends with ${last}`);
  return faults;
}

test('folding a long log at once comes to the same as event by event', () => {
  const commands = Array.from({ length: 600 }, (_, at): SessionEvent => {
    const record: CommandRecord = {
      line: `echo ${at}`,
      driver: 'person',
      exit: 0,
      cwd: '/',
      output: '',
      bytes: 0,
      durationMs: 1,
      handle: at + 1,
    };
    return { type: 'command.completed', record };
  });
  const imported: SessionEvent = { type: 'history.imported', messages: [{ role: 'user', text: 'too late' }] };
  const log = [created, ...commands, imported];
  expect(fold(log)).toEqual(log.reduce(evolve, EMPTY_STATE));
});

test('an interrupt while the picture after a step is taken gives it up, and the command that waits for it', () => {
  const waiting = fold([
    created,
    ...[started, called, asked, approved, checkpointed, running],
    { type: 'turn.ended', reason: 'interrupted' },
    { type: 'command.started', line: 'ls', driver: 'person' },
  ]);
  const facts = decide(waiting, { type: 'interrupt' });
  expect(facts).toEqual([
    {
      type: 'command.completed',
      record: { line: 'ls', driver: 'person', exit: 130, cwd: '/tmp', output: '', bytes: 0, durationMs: 0 },
    },
    {
      type: 'checkpoint.sealed',
      id: 'c1',
      error: { code: 'checkpoint.stopped', message: 'stopped; :undo puts back only the files you name' },
    },
  ]);
  expect(isIdle(facts.reduce(evolve, waiting))).toBe(true);
});

test('approve read-only covers what our own tools read in the work tree, and a rule also what lies outside of it', () => {
  const read: ToolCall = { ...call, name: 'aish.read_file', effect: 'read' };
  const readOnly = { ...DEFAULT_SETTINGS, approve: 'read-only' } as const;
  const ruled = { ...readOnly, autoApprove: { 'aish.read_file': true } };
  const preview = { undoable: true, foreign: true } as const;
  expect([
    judge(read, readOnly, { undoable: true }),
    judge(read, readOnly, preview),
    judge(read, ruled, preview),
  ]).toEqual([
    { decision: 'allow', rule: 'approve read-only' },
    { decision: 'ask', rule: 'outside of the work tree' },
    { decision: 'allow', rule: 'aish.read_file' },
  ]);
});

test('an interrupt of a change that waits for the picture after the step before it gives that up too', () => {
  const again = { ...called, calls: [{ ...call, id: 'call00001' }] };
  const waiting = fold([
    created,
    ...[started, called, asked, approved, checkpointed, running, completed, again],
    { ...approved, callId: 'call00001' },
  ]);
  const facts = decide(waiting, { type: 'interrupt' });
  expect(facts.map(({ type }) => type)).toEqual(['turn.ended', 'checkpoint.sealed']);
  expect(isIdle(facts.reduce(evolve, waiting))).toBe(true);
});
