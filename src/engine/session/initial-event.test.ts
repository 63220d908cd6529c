import { expect, test } from 'bun:test';
import { evolve, fold } from '../../core/session/evolve.ts';
import { DEFAULT_SETTINGS } from '../../core/session/state.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { firstFact } from './engine.ts';

const settings = DEFAULT_SETTINGS;
const created: SessionEvent = { type: 'session.created', id: 's', cwd: '/w', settings };
const lost: SessionEvent = { type: 'command.started', line: 'sleep 77', driver: 'user' };
const record: CommandRecord = {
  line: 'ls',
  driver: 'user',
  exit: 0,
  cwd: '/w',
  output: '',
  bytes: 0,
  durationMs: 1,
  handle: 4,
};

function first(...events: readonly SessionEvent[]): SessionEvent {
  const recorded = events.map((event, at) => ({ seq: at + 1, at: 0, event }));
  return firstFact('s', recorded, { cwd: '/w', settings }, { cwd: '/w/sub', numberAfter: (handle) => handle + 1 });
}

test('a session begins where it is opened, and goes on with what it holds', () => {
  expect([first(), first(created, { type: 'command.completed', record })]).toEqual([
    created,
    { type: 'session.resumed', settings },
  ]);
});

test('a command that the end of the process cut short gets an end and a number, and the model reads of it', () => {
  const resumed = first(created, { type: 'command.completed', record }, lost);
  const cut: CommandRecord = {
    ...record,
    line: 'sleep 77',
    exit: null,
    cwd: '/w/sub',
    durationMs: 0,
    handle: 5,
    cutShort: true,
  };
  expect(resumed).toEqual({ type: 'session.resumed', settings, lost: cut });
  const { entries, outputs, command } = evolve(fold([created, lost]), resumed);
  expect({ entries, outputs, command }).toEqual({
    entries: [{ type: 'command', record: cut }],
    outputs: [cut],
    command: null,
  });
});

test('a log of before there was such an end tells the model all the same, and a private command nothing', () => {
  const resumed: SessionEvent = { type: 'session.resumed', settings };
  const hidden: SessionEvent = { type: 'command.started', line: '', driver: 'user', private: true };
  const lines = [[lost], [hidden]].map((events) => fold([created, ...events, resumed]).entries.length);
  expect([lines, first(created, hidden)]).toEqual([[1, 0], resumed]);
});
