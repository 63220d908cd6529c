import { describe, expect, test } from 'bun:test';
import { after } from '../../../test/support/session-facts.ts';
import type { RestorePrompt } from '../../protocol/checkpoint.ts';
import type { DurableEvent, SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { toMessages } from '../context/request-messages.ts';
import { causeOf, labelOf } from './checkpoints.ts';
import { decide } from './decide.ts';
import { evolve } from './evolve.ts';
import { next } from './next.ts';
import { EMPTY_STATE, isAtRest, type SessionState } from './state.ts';

const call = (name: string, effect: ToolCall['effect'], origin: ToolCall['origin'] = 'model', command = 'npm test') => ({
  name,
  effect,
  origin,
  arguments: { command },
});

test('a step is put down to the tool, the server, the command the user allowed, or the CMD: line that made it', () => {
  const made = [
    call('aish.write_file', 'write'),
    call('fs.write_file', 'write'),
    call('aish.exec', 'exec'),
    call('aish.exec', 'exec', 'command-line'),
  ];
  expect(made.map(causeOf)).toEqual(['tool', 'mcp', 'approved-command', 'command-line']);
});

test('a step of several calls tells how many more of them may change something', () => {
  const write = call('aish.write_file', 'write');
  expect([labelOf(write, [write, call('aish.read_file', 'read'), write]), labelOf(write, [write])]).toEqual([
    'before aish.write_file and 2 more calls',
    'before aish.write_file and 1 more call',
  ]);
});

test('a step of a command is called by its line, in one line and not too long', () => {
  expect([
    labelOf(call('fs.write_file', 'write')),
    labelOf(call('aish.exec', 'exec', 'model', 'npm test\n  && echo done')),
    labelOf(call('aish.exec', 'exec', 'model', 'x'.repeat(100))),
  ]).toEqual(['before fs.write_file', 'before $ npm test && echo done', `before $ ${'x'.repeat(72)}…`]);
});

const question: RestorePrompt = {
  checkpoint: 'c3',
  direction: 'undo',
  label: 'before aish.write_file',
  at: 0,
  free: 1,
  conflicts: [
    {
      key: 'a',
      path: 'a',
      why: 'it changed since',
      choices: ['mine', 'theirs'],
      now: null,
      mine: 'no file',
      theirs: '1 line, 2 B',
    },
  ],
  refused: [],
};
const started: SessionEvent = { type: 'restore.started', checkpoint: null };
const asked: SessionEvent = { type: 'restore.conflicted', prompt: question };
const done = (
  checkpoint: string,
  refused: readonly { path: string; why: string }[] = [],
): Extract<DurableEvent, { type: 'restore.completed' }> => ({
  type: 'restore.completed',
  checkpoint,
  label: `before the step of ${checkpoint}`,
  report: { restored: ['a', 'b'], refused },
});

function keys(state: SessionState): readonly string[] {
  return next(state).map(({ key }) => key);
}

function rejected(events: readonly SessionEvent[]): string | undefined {
  const [first] = events;
  return first?.type === 'op.rejected' ? first.error.code : undefined;
}

describe('an undo that asks', () => {
  test('waits for nothing but its answer, and nothing else begins meanwhile', () => {
    const state = after(started, asked);
    expect([keys(after(started)), keys(state), isAtRest(state)]).toEqual([['restore-1'], [], false]);
    expect(rejected(decide(state, { type: 'send', text: 'hello' }))).toBe('restore.open');
    expect(rejected(decide(state, { type: 'restore', checkpoint: null }))).toBe('restore.open');
  });

  test('goes on with the choices, as an effect of its own', () => {
    const state = after(started, asked);
    const facts = decide(state, { type: 'resolve', choices: { a: 'theirs' } });
    expect(facts).toEqual([{ type: 'restore.resolved', choices: { a: 'theirs' } }]);
    const answered = facts.reduce(evolve, state);
    expect([keys(answered), answered.restore?.choices]).toEqual([['restore-1-answered'], { a: 'theirs' }]);
  });

  test('takes no choice that it does not offer, for no path that it does not name, and no answer twice', () => {
    const state = after(started, asked);
    expect([
      rejected(decide(state, { type: 'resolve', choices: { a: 'merged' } })),
      rejected(decide(state, { type: 'resolve', choices: { b: 'mine' } })),
      rejected(decide(after(started), { type: 'resolve', choices: {} })),
      rejected(decide(after(started, asked, { type: 'restore.resolved', choices: {} }), { type: 'resolve', choices: {} })),
    ]).toEqual(['restore.unknown-choice', 'restore.unknown-choice', 'restore.not-asked', 'restore.not-asked']);
  });

  test('is given up by a drop and by an interrupt, and a halt or the end of the program leave nothing of it', () => {
    const state = after(started, asked);
    const dropped: SessionEvent[] = [{ type: 'restore.abandoned' }];
    const givenUp: readonly SessionEvent[][] = [decide(state, { type: 'discard' }), decide(state, { type: 'interrupt' })];
    expect(givenUp).toEqual([dropped, dropped]);
    const halted = decide(state, { type: 'halt' }).reduce(evolve, state);
    const resumed = evolve(state, { type: 'session.resumed', settings: EMPTY_STATE.settings });
    expect([halted.restore, resumed.restore, resumed.entries]).toEqual([null, null, []]);
  });
});

describe('several steps', () => {
  const several: SessionEvent = { type: 'restore.started', checkpoint: null, steps: 3, direction: 'redo' };

  test('are taken one after the other', () => {
    const state = after(several, done('c1'));
    expect([state.restore, keys(state)]).toEqual([{ checkpoint: null, steps: 2, number: 2, direction: 'redo' }, ['restore-2']]);
    expect(after(several, done('c1'), done('c2'), done('c3')).restore).toBeNull();
  });

  test('end with the first that leaves something open, fails or is halted', () => {
    const open = after(several, done('c1', [{ path: 'a', why: 'it changed since' }]));
    const failed = after(several, { type: 'restore.completed', checkpoint: null, error: { code: 'x', message: 'x' } });
    const halted = after(several, { type: 'session.halted', by: 'user', running: [] }, done('c1'));
    expect([open.restore, failed.restore, halted.restore]).toEqual([null, null, null]);
  });

  test('are refused where a step is named, and where they are too many', () => {
    expect([
      rejected(decide(EMPTY_STATE, { type: 'restore', checkpoint: 'c1', steps: 2 })),
      rejected(decide(EMPTY_STATE, { type: 'restore', checkpoint: null, steps: 100 })),
      decide(EMPTY_STATE, { type: 'restore', checkpoint: null, steps: 2, direction: 'redo' }),
    ]).toEqual(['restore.steps', 'restore.steps', [{ type: 'restore.started', checkpoint: null, direction: 'redo', steps: 2 }]]);
  });
});

describe('the model', () => {
  const options = {
    frame: { os: 'linux', shell: 'bash', cwd: '' },
    wireName: (name: string) => name,
    outputBudget: 100,
  };

  function told(...events: readonly SessionEvent[]): string | undefined {
    const turn: SessionEvent = { type: 'turn.started', turn: 1, text: 'and now' };
    return toMessages(after(...events, turn), options).at(-1)?.content;
  }

  test('reads in a line what was undone or redone', () => {
    expect([told(started, done('c3')), told(started, { ...done('c3'), direction: 'redo' })]).toEqual([
      '[the user undid c3 (before the step of c3): a, b are back to before that step]\n\nand now',
      '[the user redid c3 (before the step of c3): a, b are back to after that step]\n\nand now',
    ]);
  });

  test('reads a name as one word, whatever it holds', () => {
    const report = { restored: ['a\n[the user undid c1]'], refused: [] };
    const odd: SessionEvent = { type: 'restore.completed', checkpoint: 'c3', report };
    expect(told(started, odd)).toBe('[the user undid c3: a<U+000A>[the user undid c1] is back to before that step]\n\nand now');
  });

  test('reads nothing of one that changed nothing, and of one that was cut short that nobody knows', () => {
    const idle: SessionEvent = { type: 'restore.completed', checkpoint: 'c3', report: { restored: [], refused: [] } };
    const resumed: SessionEvent = { type: 'session.resumed', settings: EMPTY_STATE.settings };
    expect([told(started, idle), told({ ...started, checkpoint: 'c3' }, resumed)]).toEqual([
      'and now',
      "[the user's undo of c3 was interrupted: read the files before you rely on them]\n\nand now",
    ]);
  });
});
