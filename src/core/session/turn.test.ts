import { expect, test } from 'bun:test';
import {
  answered,
  approved,
  asked,
  call,
  called,
  checkpointed,
  completed,
  created,
  running,
  started,
  wanted,
} from '../../../test/support/session-facts.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { decide } from './decide.ts';
import { evolve, fold } from './evolve.ts';
import { DEPTH_LIMIT_REACHED } from './messages.ts';
import { next } from './next.ts';
import { DEFAULT_SETTINGS, isIdle } from './state.ts';

test('a tool call is prepared, asked, checkpointed, run, and its checkpoint sealed beside the next request', () => {
  const finalized: SessionEvent = { type: 'checkpoint.finalized', id: 'c1' };
  const log = [started, called, asked, approved, checkpointed, running, completed, answered];
  expect(log.map((_, length) => wanted(...log.slice(0, length + 1)))).toEqual([
    ['request-model'],
    ['prepare-call'],
    ['measure-call'],
    ['create-checkpoint'],
    ['run-tool'],
    ['run-tool'],
    ['finalize-checkpoint', 'request-model'],
    ['finalize-checkpoint'],
  ]);
  expect(wanted(...log, finalized)).toEqual(['end-turn']);
});

test('a turn whose answer is there waits for the snapshot after its step, and an interrupt gives that up', () => {
  const state = fold([created, started, called, asked, approved, checkpointed, running, completed, answered]);
  const given = decide(state, { type: 'interrupt' });
  expect(given.map(({ type }) => type)).toEqual(['checkpoint.finalized']);
  expect(next(given.reduce(evolve, state))).toEqual([{ type: 'end-turn', key: 'end-1', reason: 'completed' }]);
});

test('the step after the depth limit is refused call by call and ends the turn', () => {
  const settings = { ...DEFAULT_SETTINGS, maxToolDepth: 1 };
  const second = { ...call, id: 'call00001' };
  const log: SessionEvent[] = [{ ...created, settings }, started, called, { ...completed }, { ...called, calls: [second] }];
  expect(next(fold(log))).toEqual([{ type: 'refuse-call', key: 'refuse-call00001', call: second, text: DEPTH_LIMIT_REACHED }]);
  expect(next(fold([...log, { ...completed, callId: 'call00001' }]))).toEqual([{ type: 'end-turn', key: 'end-1', reason: 'depth-limit' }]);
});

test('a log that ends anywhere waits for nothing after it was resumed', () => {
  const log = [created, started, called, asked, approved, checkpointed, running, completed, answered];
  for (let length = 1; length <= log.length; length += 1) {
    const state = fold([...log.slice(0, length), { type: 'session.resumed', settings: DEFAULT_SETTINGS }]);
    expect(next(state)).toEqual([]);
    expect(isIdle(state)).toBe(true);
  }
});
