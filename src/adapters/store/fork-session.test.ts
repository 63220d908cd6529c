import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEFAULT_SETTINGS } from '../../core/session/state.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import type { DurableEvent } from '../../protocol/event.ts';
import { EventLog, logPath } from './event-log.ts';
import { forkSession, isOpenSomewhere, listSessions } from './sessions.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const CREATED: DurableEvent = { type: 'session.created', id: 'aaaabbbbcccc', cwd: '/w', settings: DEFAULT_SETTINGS };
const TURN: readonly DurableEvent[] = [
  { type: 'turn.started', turn: 1, text: 'hello' },
  { type: 'turn.ended', reason: 'completed' },
];
const OPEN: DurableEvent = { type: 'turn.started', turn: 2, text: 'and more' };

/** A session that is open, with an output. */
function openSession(...events: readonly DurableEvent[]): { readonly state: string; readonly log: EventLog } {
  const state = mkdtempSync(join(tmpdir(), 'aish-fork-'));
  folders.push(state);
  const path = logPath(state, 'aaaabbbbcccc');
  const log = EventLog.create(path);
  log.append(events, 1000);
  mkdirSync(join(dirname(path), 'outputs'), { recursive: true });
  writeFileSync(join(dirname(path), 'outputs', '1'), 'printed', { mode: 0o600 });
  return { state, log };
}

test('a copy has the facts up to the last whole turn, those times, and says where it comes from', () => {
  const { state, log } = openSession(CREATED, ...TURN, OPEN);
  const before = readFileSync(log.path);
  const id = forkSession(state, 'aaaabbbbcccc', 5000);
  using copy = EventLog.open(logPath(state, id)).log;
  log.close();
  expect(copy.seq).toBe(5);
  copy.close();
  const { recorded } = EventLog.open(logPath(state, id));
  expect(recorded).toEqual([
    { seq: 1, at: 1000, event: { ...CREATED, id } },
    ...TURN.map((event, index) => ({ seq: index + 2, at: 1000, event })),
    { seq: 4, at: 5000, event: { type: 'session.forked', from: 'aaaabbbbcccc' } },
    { seq: 5, at: 5000, event: { type: 'session.named', name: 'hello (fork)', by: 'model' } },
  ]);
  expect(readFileSync(log.path)).toEqual(before);
});

test('copies are called so that each can be told from its origin and from the others', () => {
  const { state, log } = openSession(CREATED, ...TURN, { type: 'session.named', name: 'r1 work', by: 'user' });
  const copies = [1, 2].map((at) => forkSession(state, 'aaaabbbbcccc', 5000 + at));
  const ofCopy = forkSession(state, copies[1] ?? '', 6000);
  const names = [...copies, ofCopy].map((id) => listSessions(state).find((one) => one.id === id)?.name);
  expect(names).toEqual(['r1 work (fork)', 'r1 work (fork 2)', 'r1 work (fork 3)']);
  log.close();
});

test('a copy of what only ran commands is called by the first of them, and one of nothing has no name', () => {
  const record = {
    line: 'make\nall',
    exit: 0,
    output: '',
    bytes: 0,
    lines: 0,
    cwd: '/w',
    durationMs: 1,
    driver: 'user',
  };
  const named = (...events: readonly DurableEvent[]): string | null => {
    const { state, log } = openSession(CREATED, ...events);
    log.close();
    const copy = forkSession(state, 'aaaabbbbcccc', 5000);
    return listSessions(state).find(({ id }) => id === copy)?.name ?? null;
  };
  const started: DurableEvent = { type: 'command.started', line: record.line, driver: 'user' };
  expect(named(started, { type: 'command.completed', record: record as CommandRecord })).toBe('$ make (fork)');
  expect(named()).toBeNull();
});

test('a copy has the outputs too, and is its owner’s alone', () => {
  const { state, log } = openSession(CREATED, ...TURN);
  const path = logPath(state, forkSession(state, 'aaaabbbbcccc', 5000));
  expect(readFileSync(join(dirname(path), 'outputs', '1'), 'utf8')).toBe('printed');
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect((statSync(dirname(path)).mode & 0o777).toString(8)).toBe('700');
  log.close();
});

test('a session of which nothing has come to its end yet is not copied', () => {
  const { state, log } = openSession({ ...OPEN, turn: 1 });
  expect(() => forkSession(state, 'aaaabbbbcccc', 5000)).toThrow('has nothing to continue from yet');
  log.close();
});

test('a session counts as open while some process has its log', () => {
  const { state, log } = openSession(CREATED);
  expect(isOpenSomewhere(state, 'aaaabbbbcccc')).toBe(true);
  log.close();
  expect(isOpenSomewhere(state, 'aaaabbbbcccc')).toBe(false);
  expect(isOpenSomewhere(state, 'never')).toBe(false);
});
