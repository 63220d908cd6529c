import { expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import { toMessages } from '../context/request-messages.ts';
import { decide } from './decide.ts';
import { evolve, fold } from './evolve.ts';
import { beginsPrivately, withoutText } from './lost-command.ts';
import { next } from './next.ts';
import { DEFAULT_SETTINGS, type SessionState } from './state.ts';

const SECRET = 'hunter2';
const created: SessionEvent = { type: 'session.created', id: 's', cwd: '/', settings: DEFAULT_SETTINGS };

/** The events of a session, as the engine lets them happen: a private line goes past the events. */
function play(steps: readonly Step[]): { state: SessionState; log: SessionEvent[] } {
  const log: SessionEvent[] = [created];
  let state = fold(log);
  const take = (...events: readonly SessionEvent[]): void => {
    for (const event of events) state = evolve(state, event);
    log.push(...events);
  };
  for (const { op, exit } of steps) {
    take(...decide(state, op));
    if (op.type !== 'run' || state.command === null) continue;
    const record = toRecord(op.line, exit);
    const completed = state.isPrivate ? withoutText(record) : { ...record, handle: log.length };
    take({ type: 'command.completed', record: completed });
  }
  return { state, log };
}

function toRecord(line: string, exit: number): CommandRecord {
  return { line, driver: 'user', exit, cwd: '/', output: `out of ${line}`, bytes: 9, durationMs: 1 };
}

interface Step {
  readonly op: Op;
  readonly exit: number;
}

const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ type: fc.constant('run'), line: fc.constant(`login ${SECRET}`), private: fc.constant(true) } as const),
  fc.record({ type: fc.constant('run'), line: fc.constantFrom('ls', 'make') } as const),
  fc.record({ type: fc.constant('send'), text: fc.constantFrom('why?', 'go on') } as const),
  fc.record({ type: fc.constant('interrupt') } as const),
);

test('law: no text of a private command is in a request, in the log or in an effect', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ op, exit: fc.nat(2) }), { maxLength: 30 }), (steps) => {
      const { state, log } = play(steps);
      const frame = { os: 'linux', shell: 'bash', cwd: '' };
      const messages = toMessages(state, { frame, wireName: (name) => name, outputBudget: 1000 });
      expect(JSON.stringify([messages, log, state, next(state)])).not.toContain(SECRET);
      expect(log.some((event) => event.type === 'command.completed' && event.record.line === '')).toBe(
        log.some((event) => event.type === 'command.started' && event.private === true),
      );
    }),
  );
});

test('a private command tells where it left the shell, and has no handle', () => {
  const record = {
    line: SECRET,
    driver: 'user',
    exit: 1,
    cwd: '/x',
    output: SECRET,
    bytes: 7,
    durationMs: 3,
  } as const;
  expect(withoutText({ ...record, handle: 4 })).toEqual({
    ...{ line: '', driver: 'user', exit: 1, cwd: '/x', output: '', bytes: 0, durationMs: 3 },
    private: true,
  });
});

test('a blank makes a line private', () => {
  expect([' ls', '\tls', 'ls ', 'ls'].map(beginsPrivately)).toEqual([true, true, false, false]);
});
