import { describe, expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Compaction, Message } from '../../protocol/model.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { CONTEXT_HANDLERS, hasGivenUp, isInVain, NO_CONTEXT } from '../session/context-state.ts';
import { decide } from '../session/decide.ts';
import { evolve, fold } from '../session/evolve.ts';
import { applyHandler } from '../session/handlers.ts';
import { next } from '../session/next.ts';
import { DEFAULT_SETTINGS, type SessionState, toCallId } from '../session/state.ts';
import { planCompaction } from './compaction.ts';
import { cutPoints, toMessages } from './request-messages.ts';
import { formatDigest } from './summary-request.ts';

const created: SessionEvent = { type: 'session.created', id: 's', cwd: '/', settings: DEFAULT_SETTINGS };
const options = {
  frame: { os: 'linux', shell: 'bash', cwd: '' },
  wireName: (name: string) => name.replace('.', '__'),
  outputBudget: 400,
} as const;

function call(id: string, args: Readonly<Record<string, string>> = { path: 'a' }): ToolCall {
  return { id, name: 'fs.write_file', arguments: args, effect: 'write', origin: 'model' };
}

function step(text: string, ...calls: readonly ToolCall[]): SessionEvent {
  return { type: 'step.completed', text, calls, finish: calls.length > 0 ? 'tool_calls' : 'stop', model: 'm' };
}

function result(callId: string, text: string): readonly SessionEvent[] {
  return [
    { type: 'tool-call.started', callId },
    { type: 'tool-call.completed', callId, text, isError: false },
  ];
}

function ran(line: string, exit = 0): SessionEvent {
  return {
    type: 'command.completed',
    record: { line, driver: 'user', exit, cwd: '/', output: `${line} printed this\n`, bytes: 20, durationMs: 1 },
  };
}

function turn(number: number, text: string, answer: string): readonly SessionEvent[] {
  return [{ type: 'turn.started', turn: number, text }, step(answer), { type: 'turn.ended', reason: 'completed' }];
}

function compacted(compaction: Partial<Compaction>): SessionEvent {
  const whole = { upTo: 0, summary: 'SUMMARY', kept: '', before: 0, room: null, ...compaction };
  return { type: 'context.compacted', compaction: whole, tokensBefore: 100, tokensAfter: 10 };
}

function rolesOf(state: SessionState): string {
  return toMessages(state, options)
    .map(({ role }) => role[0])
    .join('');
}

const twoTurns = [created, ...turn(1, 'one', 'first'), ran('ls'), ...turn(2, 'two', 'second')];

describe('what a model is sent after a compaction', () => {
  test('begins with the summary in the place of the turns that were taken out, commands of the kept turn included', () => {
    const state = fold([...twoTurns, compacted({ upTo: 2, kept: 'KEPT', before: 5 })]);
    expect(toMessages(state, options).slice(1)).toEqual([
      {
        role: 'user',
        content: [
          '[summary of the earlier conversation, which was removed to make room]\nSUMMARY\nKEPT\n[end of the summary]',
          '[command of the user, exit 0, now in /]\n$ ls\nls printed this',
          'two',
        ].join('\n\n'),
      },
      { role: 'assistant', content: 'second' },
    ]);
  });

  test('holds the message again whose work is still going on', () => {
    const state = fold([
      created,
      { type: 'turn.started', turn: 1, text: 'fix it' },
      step('', call('call00000')),
      ...result('call00000', 'old'),
      step('', call('call00001')),
      ...result('call00001', 'new'),
      compacted({ upTo: 3, before: 5 }),
    ]);
    expect([rolesOf(state), toMessages(state, options)[1]?.content]).toEqual([
      'suat',
      '[summary of the earlier conversation, which was removed to make room]\nSUMMARY\n[end of ' +
        'the summary]\n\nfix it\n\n[the summary above covers your work on this so far; continue from ' +
        'there]',
    ]);
  });

  test('holds shorter texts of what was there, and whole ones of what came later', () => {
    const state = fold([
      created,
      { type: 'turn.started', turn: 1, text: 'fix it' },
      step('', call('call00000', { path: 'a', text: 'x'.repeat(600) })),
      ...result('call00000', 'y'.repeat(600)),
      compacted({ upTo: 0, summary: '', before: 3, room: 200 }),
      step('', call('call00001')),
      ...result('call00001', 'z'.repeat(600)),
    ]);
    const texts = toMessages(state, options).map((message) =>
      message.role === 'assistant' ? (message.toolCalls?.[0]?.arguments ?? '') : message.content,
    );
    expect(texts.slice(2).map((text) => text.length > 500)).toEqual([false, false, false, true]);
    expect(JSON.parse(texts[2] ?? '')).toMatchObject({ path: 'a' });
  });

  test('is cut before a call and never behind it, whatever the fact says', () => {
    const events = [
      created,
      { type: 'turn.started', turn: 1, text: 'go' } as const,
      step('', call('call00000')),
      ...result('call00000', 'done'),
    ];
    const cuts = [1, 2, 3, 99].map((upTo) => rolesOf(fold([...events, compacted({ upTo, before: 3 })])));
    expect(cuts).toEqual(['suat', 'suat', 'su', 'su']);
  });
});

describe('a session', () => {
  test('waits for the compaction before it asks the model', () => {
    const started: SessionEvent = { type: 'compaction.started', reason: 'threshold', entries: 1, tokens: 9000 };
    const asking = fold([created, { type: 'turn.started', turn: 1, text: 'go' }]);
    const compacting = evolve(asking, started);
    const done = evolve(compacting, compacted({ upTo: 0 }));
    expect([asking, compacting, done].map((state) => next(state).map(({ key }) => key))).toEqual([
      ['request-1-0'],
      ['compact-1'],
      ['request-1-0'],
    ]);
  });

  test('that is interrupted while it compacts is as it was before', () => {
    const before = fold(twoTurns);
    const during = decide(before, { type: 'compact' }).reduce(evolve, before);
    const after = decide(during, { type: 'interrupt' }).reduce(evolve, during);
    expect([next(during).map(({ type }) => type), next(after), toMessages(after, options)]).toEqual([
      ['compact'],
      [],
      toMessages(before, options),
    ]);
  });

  test('refuses a message while it compacts by hand', () => {
    const before = fold(twoTurns);
    const during = decide(before, { type: 'compact' }).reduce(evolve, before);
    expect(decide(during, { type: 'send', text: 'and?' })).toMatchObject([{ type: 'op.rejected', error: { code: 'session.busy' } }]);
  });

  test('has nothing to compact before anything was said', () => {
    expect(decide(fold([created]), { type: 'compact' })).toMatchObject([
      { type: 'op.rejected', error: { code: 'context.nothing-to-free' } },
    ]);
  });

  test('keeps knowing of untrusted content when that text is only in the summary', () => {
    const tainted: SessionEvent = { type: 'turn.tainted', sources: [{ kind: 'input', name: 'piped text' }] };
    const state = fold([...twoTurns, tainted, compacted({ upTo: 5, before: 5 })]);
    expect(state.taint.sources).toEqual([{ kind: 'input', name: 'piped text' }]);
  });
});

describe('a plan', () => {
  const { entries } = fold([
    created,
    ...turn(1, 'a'.repeat(4000), 'one'),
    ...turn(2, 'b'.repeat(400), 'two'),
    ...turn(3, 'c'.repeat(400), 'three'),
  ]);
  const context = {
    entries,
    covered: 0,
    isTurnRunning: false,
    reason: 'threshold',
    budget: 300,
    utmost: 300,
    around: 0,
    whole: 300,
    correction: 1,
  } as const;

  test('takes out the oldest turns, and no more than it has to', () => {
    expect(planCompaction(context)).toEqual({ upTo: 2, room: null, before: 6 });
  });

  test('of a user takes out all but the newest turn where that fits, though nothing forces it', () => {
    expect(planCompaction({ ...context, reason: 'user', budget: 150, utmost: 150 })).toEqual({
      upTo: 4,
      room: null,
      before: 6,
    });
  });

  test('takes out the oldest rounds of a turn that is too long by itself', () => {
    const long = fold([
      created,
      { type: 'turn.started', turn: 1, text: 'go' },
      ...[0, 1, 2, 3].flatMap((at) => [step('', call(toCallId(at))), ...result(toCallId(at), 'r'.repeat(720))]),
    ]);
    expect(planCompaction({ ...context, entries: long.entries, isTurnRunning: true, budget: 500, utmost: 500 })).toEqual({
      upTo: 5,
      room: null,
      before: 9,
    });
  });

  test('cuts what the newest round has made old, where that is enough, so that no model need be asked', () => {
    const long = fold([
      created,
      { type: 'turn.started', turn: 1, text: 'go' },
      ...[0, 1, 2].flatMap((at) => [step('', call(toCallId(at))), ...result(toCallId(at), 'r'.repeat(3600))]),
    ]);
    expect(planCompaction({ ...context, entries: long.entries, isTurnRunning: true, budget: 500, utmost: 1600, whole: 1600 })).toEqual({
      upTo: 0,
      room: 600,
      before: 5,
    });
  });

  test('cuts the texts of a round that is too long by itself', () => {
    const huge = fold([
      created,
      { type: 'turn.started', turn: 1, text: 'go' },
      step('', call('call00000')),
      ...result('call00000', 'r'.repeat(90_000)),
    ]);
    expect(planCompaction({ ...context, entries: huge.entries, isTurnRunning: true, budget: 1, utmost: 1000 })).toEqual({
      upTo: 1,
      room: 3000,
      before: 3,
    });
  });

  test('is none where nothing would get shorter', () => {
    const { entries: short } = fold([created, { type: 'turn.started', turn: 1, text: 'go' }]);
    expect(planCompaction({ ...context, entries: short, isTurnRunning: true, budget: 1, utmost: 1 })).toBeNull();
  });
});

test('what no summary may lose is kept word for word: wishes, failures, changed files with their checkpoints', () => {
  const { entries } = fold([created, ...turn(1, 'always use tabs', 'yes'), ran('make', 2), ...turn(2, 'and?', 'done')]);
  const touched = [{ what: '/w/a.ts', checkpoint: 'c3' }];
  expect(formatDigest(entries, { touched, budget: 2000, isAlone: false })).toBe(
    [
      'The user said, word for word:\n- always use tabs\n- and?',
      'These failed:\n- $ make (exit 2)',
      'These were changed:\n- /w/a.ts (checkpoint c3)',
    ].join('\n'),
  );
});

test('where the words of the user are too many for their share, the first and the newest stay', () => {
  const said = [1, 2, 3, 4].map((at) => turn(at, `${at} ${'word '.repeat(60)}`, 'yes'));
  const { entries } = fold([created, ...said.flat()]);
  const kept = formatDigest(entries, { touched: [], budget: 1800, isAlone: false });
  const shown = [1, 2, 3, 4].map((at) => kept.includes(`- ${at} word`));
  expect([shown, kept.includes('(1 left out)'), kept.length < 1100]).toEqual([[true, false, true, true], true, true]);
});

/** A conversation of any length, in rounds of calls that are all answered. */
const conversation = fc
  .array(fc.record({ rounds: fc.nat(3), calls: fc.integer({ min: 1, max: 2 }), commands: fc.nat(2) }), { maxLength: 6 })
  .map((turns) => {
    const events: SessionEvent[] = [created];
    let count = 0;
    turns.forEach(({ rounds, calls, commands }, at) => {
      for (let one = 0; one < commands; one += 1) events.push(ran('ls'));
      events.push({ type: 'turn.started', turn: at + 1, text: `question ${at}` });
      for (let round = 0; round < rounds; round += 1) {
        const ids = Array.from({ length: calls }, () => toCallId(count++));
        events.push(step('', ...ids.map((id) => call(id))), ...ids.flatMap((id) => result(id, 'r'.repeat(500))));
      }
      if (at < turns.length - 1) events.push(step('answer'), { type: 'turn.ended', reason: 'completed' });
    });
    return events;
  });

test('law: wherever a conversation is cut, roles alternate, calls are answered, and nothing but the summary is new', () => {
  fc.assert(
    fc.property(conversation, fc.nat(60), fc.option(fc.integer({ min: 160, max: 600 })), (events, upTo, room) => {
      const state = evolve(fold(events), compacted({ upTo, before: 60, room }));
      const messages = toMessages(state, options);
      expect(faultsOf(messages)).toEqual([]);
      const { turns, rounds } = cutPoints(state.entries);
      expect([...turns, ...rounds].every((at) => at <= state.entries.length)).toBe(true);
    }),
  );
});

function faultsOf(messages: readonly Message[]): readonly string[] {
  const open = new Set<string>();
  return messages.flatMap((message, at) => {
    const before = messages[at - 1];
    const faults: string[] = [];
    if (message.role === 'tool' && !open.delete(message.toolCallId)) faults.push(`${at}: an answer to nothing`);
    if (message.role !== 'tool' && open.size > 0) faults.push(`${at}: a call without an answer`);
    if (message.role === 'user' && before?.role === 'user') faults.push(`${at}: two of the user`);
    if (message.role === 'assistant' && (before?.role === 'system' || before?.role === 'assistant'))
      faults.push(`${at}: ${before.role} before the assistant`);
    if (message.role === 'assistant') for (const { id } of message.toolCalls ?? []) open.add(id);
    return faults;
  });
}

describe('what a compaction is worth', () => {
  const context = (fruitless: number, leftTokens = 0) => ({ ...NO_CONTEXT, fruitless, leftTokens });

  test('one that is needed again with the next turn was in vain, unless it freed a good deal', () => {
    const freed = (before: number, after: number, growth: number) => ({ before, after, most: 1200, growth });
    expect([
      isInVain(context(0), freed(1250, 1076, 174)),
      isInVain(context(0), freed(1250, 900, 400)),
      isInVain(context(0), freed(1250, 1076, 100)),
      isInVain(context(0), freed(1900, 1300, 0)),
      isInVain(context(2), freed(1700, 1076, 174)),
    ]).toEqual([true, false, false, true, true]);
  });

  test('who has given up tries again when there is more to take out, or the window is another', () => {
    const window = { model: 'm', tokens: 9000, origin: 'server' } as const;
    expect([
      hasGivenUp(context(1, 1100), 1250),
      hasGivenUp(context(2, 1100), 1250),
      hasGivenUp(context(2, 1100), 1500),
      hasGivenUp(applyHandler(CONTEXT_HANDLERS, context(2, 1100), { type: 'context.window', window }), 1250),
    ]).toEqual([false, true, false, false]);
  });
});
