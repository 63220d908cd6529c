import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { toSettings } from '../../core/session/settings.ts';
import { DEFAULT_CONFIG } from '../../protocol/config.ts';
import { EventLog, logPath, newSessionId } from './event-log.ts';
import { findSession, likelySession, listSessions, newestSession, removeSession } from './sessions.ts';

let state = '';
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'sessions-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const settings = toSettings(DEFAULT_CONFIG);

/** A session in a directory, last used at a second of 2001. */
function writeSession(id: string, cwd: string, second: number, turns: readonly string[] = ['hello']): void {
  using log = EventLog.create(logPath(state, id));
  log.append([{ type: 'session.created', id, cwd, settings }], 5000);
  for (const [index, text] of turns.entries()) log.append([{ type: 'turn.started', turn: index + 1, text }], 6000);
  utimesSync(logPath(state, id), 1e9 + second, 1e9 + second);
}

test('ids of later times sort after earlier ones and never differ in length', () => {
  const ids = [newSessionId(1, 0.999999), newSessionId(1_700_000_000_000, 0), newSessionId(1_800_000_000_000, 0.5)];
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids.map((id) => id.length))).toEqual(new Set([12]));
});

test('the list shows the last used first, with where, when and what', () => {
  writeSession('aaa', '/one', 10, ['first', 'second']);
  writeSession('bbb', '/two', 20, []);
  const found = listSessions(state).map(({ bytes: _, ...rest }) => rest);
  expect(found).toEqual([
    {
      id: 'bbb',
      path: logPath(state, 'bbb'),
      cwd: '/two',
      createdAt: 5000,
      changedAt: 1_000_000_020_000,
      name: null,
      firstText: null,
      turns: 0,
    },
    {
      id: 'aaa',
      path: logPath(state, 'aaa'),
      cwd: '/one',
      createdAt: 5000,
      changedAt: 1_000_000_010_000,
      name: null,
      firstText: 'first',
      turns: 2,
    },
  ]);
});

test('a long log is read at both ends only, and its last turn is still found', () => {
  writeSession('aaa', '/one', 10, ['first', 'x'.repeat(100_000), 'third']);
  expect(listSessions(state)[0]).toMatchObject({ firstText: 'first', turns: 3 });
});

test('without any session the list is empty', () => {
  expect(listSessions(join(state, 'nothing'))).toEqual([]);
});

test('a session is found by the beginning of its id, unless two begin so', () => {
  writeSession('abc1', '/one', 10);
  writeSession('abc2', '/one', 20);
  expect(findSession(state, 'abc1').id).toBe('abc1');
  expect(() => findSession(state, 'abc')).toThrow('2 session IDs begin with "abc": abc2, abc1');
  expect(() => findSession(state, 'x')).toThrow('no session ID begins with "x"');
});

test('the newest session of a directory is the one used last there', () => {
  writeSession('aaa', '/one', 10);
  writeSession('bbb', '/one', 20);
  writeSession('ccc', '/two', 30);
  expect(newestSession(state, '/one')?.id).toBe('bbb');
  expect(newestSession(state, '/three')).toBeNull();
});

test('the newest session of a directory may hold commands only, unless another aish has it open', () => {
  writeSession('aaa', '/one', 10);
  writeSession('bbb', '/one', 20, []);
  expect(newestSession(state, '/one')?.id).toBe('bbb');
  {
    using _ = EventLog.open(logPath(state, 'bbb')).log;
    expect(newestSession(state, '/one')?.id).toBe('aaa');
  }
  writeSession('ccc', '/two', 30, []);
  using _ = EventLog.open(logPath(state, 'ccc')).log;
  expect(newestSession(state, '/two')?.id).toBe('ccc');
});

test('the likely session is what was said last, not the session that asks, and not where nothing was said', () => {
  writeSession('aaa', '/one', 10);
  writeSession('bbb', '/one', 20, []);
  writeSession('ccc', '/one', 30);
  expect(likelySession(state, '/one', 'ccc')?.id).toBe('aaa');
  writeSession('ddd', '/two', 40, []);
  expect(likelySession(state, '/two', 'ccc')?.id).toBe('ddd');
  expect(likelySession(state, '/two', 'ddd')).toBeNull();
});

test('a session whose first message stands behind much output is one in which something was said', () => {
  writeSession('aaa', '/one', 10);
  writeSession('bbb', '/one', 20, []);
  {
    using log = EventLog.open(logPath(state, 'bbb')).log;
    const output = 'x'.repeat(40_000);
    const record = { line: 'a', driver: 'user', exit: 0, cwd: '/one', output, bytes: 40_000, durationMs: 1 } as const;
    log.append(
      [
        { type: 'command.completed', record },
        { type: 'turn.started', turn: 1, text: 'hello' },
      ],
      6000,
    );
  }
  utimesSync(logPath(state, 'bbb'), 1e9 + 20, 1e9 + 20);
  expect(likelySession(state, '/one', 'ccc')?.id).toBe('bbb');
});

test('removing a session deletes its folder, but not while it is open', () => {
  writeSession('aaa', '/one', 10);
  const { log } = EventLog.open(logPath(state, 'aaa'));
  expect(() => removeSession(state, 'aaa')).toThrow('session aaa is open in another aish');
  log.close();
  removeSession(state, 'aaa');
  expect(existsSync(dirname(logPath(state, 'aaa')))).toBe(false);
  expect(() => removeSession(state, '../..')).toThrow('there is no session "../.."');
});
