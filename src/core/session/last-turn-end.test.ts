import { expect, test } from 'bun:test';
import type { SessionEvent } from '../../protocol/event.ts';
import type { HaltedBy } from '../../protocol/op.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { formatBegunElsewhere, formatLastEnd, formatLastExchange } from './last-turn-end.ts';
import { DEFAULT_SETTINGS, type Entry } from './state.ts';

const created: SessionEvent = { type: 'session.created', id: 's', cwd: '/app', settings: DEFAULT_SETTINGS };
const started: SessionEvent = { type: 'turn.started', turn: 1, text: 'go' };
const resumed: SessionEvent = { type: 'session.resumed', settings: DEFAULT_SETTINGS };

function running(command: string): readonly SessionEvent[] {
  const call: ToolCall = { id: 'c1', name: 'aish.exec', arguments: { command }, effect: 'exec', origin: 'model' };
  return [
    started,
    { type: 'step.completed', text: '', calls: [call], finish: 'tool_calls', model: 'm' },
    { type: 'approval.requested', callId: 'c1', preview: { undoable: true } },
    { type: 'approval.decided', callId: 'c1', decision: 'allow', by: 'user' },
    { type: 'tool-call.started', callId: 'c1' },
  ];
}

function halted(by: HaltedBy): readonly SessionEvent[] {
  return [
    { type: 'session.halted', by, running: [] },
    { type: 'turn.ended', reason: 'halted' },
  ];
}

function tell(...events: readonly SessionEvent[]): string | null {
  return formatLastEnd([created, ...events].map((event, at) => ({ seq: at + 1, at: 0, event })));
}

test('of a turn that came to its end, and of none, there is nothing to say', () => {
  expect([tell(), tell(started, { type: 'turn.ended', reason: 'completed' })]).toEqual([null, null]);
});

test('a command that ran when aish was killed has an unknown outcome', () => {
  const told = 'the last turn was cut short when aish ended; `sh -c "sleep 5"` was running, and its outcome is unknown';
  expect(tell(...running('sh -c\n"sleep 5"'))).toBe(told);
  expect(tell(...running('sh -c "sleep 5"'), resumed)).toBe(told);
});

test('a long command is told by its beginning, and steers no terminal', () => {
  const told = tell(...running(`echo \u001b[2J${'x'.repeat(500)}`)) ?? '';
  expect(told).toMatch(/^the last turn was cut short when aish ended; `echo .*x…` was running/);
  expect([told.length < 180, told.includes('\u001b')]).toEqual([true, false]);
});

test('a halt is told by who made it', () => {
  const unknown = '; `make` was running, and its outcome is unknown';
  expect([
    tell(started, ...halted('user')),
    tell(started, ...halted('signal')),
    tell(...running('make'), ...halted('terminal'), resumed),
  ]).toEqual([
    'the last turn was halted',
    'the last turn was halted by a signal',
    `the last turn was halted because the terminal closed${unknown}`,
  ]);
});

test('an interrupt and a failure are told, with why it failed', () => {
  const error = { code: 'model.refused', message: 'the key is not known' };
  expect([
    tell(started, { type: 'turn.ended', reason: 'interrupted' }),
    tell(started, { type: 'turn.ended', reason: 'failed', error }),
  ]).toEqual(['the last turn was interrupted', 'the last turn failed: the key is not known']);
});

test('a command of the user that ran when aish ended is told, and once', () => {
  const started: SessionEvent = { type: 'command.started', line: 'sleep 77', driver: 'user' };
  const hidden: SessionEvent = { type: 'command.started', line: '', driver: 'user', private: true };
  const told = '`sleep 77` was running when aish ended, and its outcome is unknown';
  const copied: SessionEvent = { type: 'session.forked', from: 'other' };
  expect([tell(started), tell(...running('make'), resumed, started), tell(started, resumed), tell(hidden), tell(started, copied)]).toEqual([
    told,
    told,
    null,
    null,
    null,
  ]);
});

const user = (text: string): Entry => ({ type: 'user', text });
const said = (text: string): Entry => ({ type: 'assistant', text, calls: [] });

test('the last message and the last answer to it are told by their beginning, a line each', () => {
  expect([
    formatLastExchange([]),
    formatLastExchange([said('before')]),
    formatLastExchange([user('first'), said('one'), user('second'), said('I look.'), said(''), said('\n\nDone.\nAll of it.')]),
    formatLastExchange([user('first'), said('one'), user('second')]),
    formatLastExchange([user('first'), { type: 'unanswered', reason: 'interrupted', text: 'So far' }]),
  ]).toEqual([[], [], ['> second', '  Done. …'], ['> second'], ['> first', '  So far']]);
});

test('a long line is cut, and none steers the terminal', () => {
  const [line = ''] = formatLastExchange([user(`\u001b[2J${'x'.repeat(500)}`)]);
  expect([line.length <= 80, line.endsWith('…'), line.includes('\u001b')]).toEqual([true, true, false]);
});

test('where a session was begun is told when the shell is elsewhere', () => {
  expect([formatBegunElsewhere('/a', '/a', '/h'), formatBegunElsewhere('/h/a', '/b', '/h')]).toEqual([
    null,
    'this session started in ~/a, but the shell is in /b; :undo works in /b',
  ]);
});
