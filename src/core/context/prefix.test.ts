import { expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { evolve, fold } from '../session/evolve.ts';
import { next } from '../session/next.ts';
import { DEFAULT_SETTINGS, type SessionState, toCallId } from '../session/state.ts';
import { toMessages } from './request-messages.ts';

const created: SessionEvent = { type: 'session.created', id: 's', cwd: '/', settings: DEFAULT_SETTINGS };
const options = {
  frame: { os: 'linux', shell: 'bash', cwd: '' },
  wireName: (name: string) => name.replace('.', '__'),
  outputBudget: 60,
} as const;

/** The possible next events; a number chooses among them. */
function happen(state: SessionState, choice: number): readonly SessionEvent[] {
  const { turn } = state;
  if (choice % 11 === 0) return [windowOf(1000 + choice)];
  if (turn === null) return choice % 3 === 0 ? [ask(state, choice)] : [run(choice)];
  const [open] = turn.open;
  if (open !== undefined) return answerCall(open.call.id, choice);
  if (turn.answered || choice % 13 === 0)
    return [{ type: 'turn.ended', reason: turn.answered ? 'completed' : 'interrupted', text: 'so f' }];
  return [step(state, choice)];
}

function windowOf(tokens: number): SessionEvent {
  return { type: 'context.window', window: { model: 'm', tokens, origin: 'server' } };
}

function ask(state: SessionState, choice: number): SessionEvent {
  const attached = choice % 2 === 0 ? { attachment: 'piped '.repeat(choice) } : {};
  return { type: 'turn.started', turn: state.turns + 1, text: `question ${choice}`, ...attached };
}

function run(choice: number): SessionEvent {
  const output = 'a line\n'.repeat(choice % 40);
  const record = {
    line: `run ${choice}`,
    driver: 'user',
    exit: 0,
    cwd: '/',
    output,
    bytes: 1,
    durationMs: 1,
  } as const;
  return { type: 'command.completed', record };
}

function step(state: SessionState, choice: number): SessionEvent {
  const isProposal = choice % 5 === 0;
  const calls = Array.from({ length: choice % 3 }, (_, at) => ({
    id: toCallId(state.calls + at),
    name: isProposal ? 'aish.exec' : 'fs.read',
    arguments: { command: 'ls', path: 'x'.repeat(choice) },
    effect: isProposal ? ('exec' as const) : ('read' as const),
    origin: isProposal ? ('command-line' as const) : ('model' as const),
  }));
  return { type: 'step.completed', text: `step ${choice}`, calls, finish: 'stop', model: 'm' };
}

function answerCall(callId: string, choice: number): readonly SessionEvent[] {
  const text = 'result '.repeat(choice % 90);
  return [
    { type: 'tool-call.started', callId },
    { type: 'tool-call.completed', callId, text, isError: false },
  ];
}

/** The text a server reads of a request, so that what comes later stands behind it. */
function reading(state: SessionState): string {
  return JSON.stringify(toMessages(state, options)).slice(0, -1);
}

test('law: whatever happens but a compaction, a request begins with the one before', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 20, maxLength: 120 }), (choices) => {
      let state = fold([created]);
      let before = '';
      for (const choice of choices) {
        for (const event of happen(state, choice)) state = evolve(state, event);
        if (!next(state).some(({ type }) => type === 'request-model')) continue;
        const now = reading(state);
        expect(now.startsWith(before)).toBe(true);
        before = now;
      }
    }),
  );
});

test('of very many commands that go with one message the oldest are only counted', () => {
  const state = fold([created, ...Array.from({ length: 60 }, (_, at) => run(at)), { type: 'turn.started', turn: 1, text: 'why?' }]);
  const content = toMessages(state, options)[1]?.content ?? '';
  expect([content.split('\n')[0], content.includes('$ run 9\n'), content.includes('$ run 10\n')]).toEqual([
    '[10 earlier commands of the user left out]',
    false,
    true,
  ]);
});
