import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from '../../../test/support/properties.ts';
import type { DurableEvent, Recorded } from '../../protocol/event.ts';
import { EventLog, readLog } from './event-log.ts';
import { formatRecord, LOG_VERSION, parseLog } from './log-line.ts';

let home = '';
let path = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'event-log-'));
  path = join(home, 'sessions', 'one', 'log.jsonl');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const EVENTS: readonly DurableEvent[] = [
  { type: 'turn.started', turn: 1, text: 'grüße 👋\nzweite Zeile' },
  { type: 'tool-call.started', callId: 'c1' },
  { type: 'tool-call.completed', callId: 'c1', text: '{"seq":1}\ud800', isError: false },
  { type: 'turn.ended', reason: 'completed' },
];

function writeLog(events: readonly DurableEvent[] = EVENTS): readonly Recorded[] {
  using log = EventLog.create(path);
  return log.append(events, 1000);
}

function codeOf(action: () => unknown): string {
  try {
    action();
    return 'nothing thrown';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

test('what was appended is read back as it was', () => {
  const written = writeLog();
  const { log, recorded, warnings } = EventLog.open(path);
  log.close();
  expect({ recorded, warnings }).toEqual({ recorded: written, warnings: [] });
  expect(recorded.map(({ seq, at }) => [seq, at])).toEqual([1, 2, 3, 4].map((seq) => [seq, 1000]));
});

test('a new session costs no file until its first event, and then only its owner can read it', () => {
  using log = EventLog.create(path);
  log.sync();
  expect(existsSync(dirname(path))).toBe(false);
  log.append(EVENTS, 1);
  log.sync();
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700]);
});

test('a log that others can read is made private when it is opened', () => {
  writeLog();
  chmodSync(path, 0o644);
  EventLog.open(path).log.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('an opened log is continued with the next number', () => {
  writeLog();
  const { log } = EventLog.open(path);
  log.append([{ type: 'tool-call.started', callId: 'c2' }], 2000);
  log.close();
  expect(readLog(path).map((entry) => entry.seq)).toEqual([1, 2, 3, 4, 5]);
});

test('a log cut at any byte opens with a prefix of its events, keeps every byte, and can be continued', () => {
  const written = writeLog();
  const whole = readFileSync(path);
  for (let length = 0; length <= whole.length; length++) {
    rmSync(`${path}.torn`, { force: true });
    writeFileSync(path, whole.subarray(0, length));
    const { log, recorded } = EventLog.open(path);
    expect(recorded).toEqual(written.slice(0, recorded.length));
    const aside = existsSync(`${path}.torn`) ? readFileSync(`${path}.torn`) : Buffer.alloc(0);
    expect(Buffer.concat([readFileSync(path), aside])).toEqual(whole.subarray(0, length));
    log.append([{ type: 'tool-call.started', callId: 'next' }], 5);
    log.close();
    expect(readLog(path)).toHaveLength(recorded.length + 1);
  }
});

test('flipped bytes never make open throw for anything but the version, nor change an event', () => {
  const written = writeLog();
  const whole = readFileSync(path);
  const flip = fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }));
  fc.assert(
    fc.property(fc.array(flip, { minLength: 1, maxLength: 4 }), (flips) => {
      const bytes = Buffer.from(whole);
      for (const [at, mask] of flips) bytes[at] = (bytes[at] ?? 0) ^ mask;
      writeFileSync(path, bytes);
      try {
        const { log, recorded } = EventLog.open(path);
        log.close();
        expect(recorded).toEqual(written.slice(0, recorded.length));
      } catch (error) {
        expect(error).toMatchObject({ code: 'session.newer-version' });
      }
    }),
    { numRuns: 500 },
  );
});

test('damage in the middle sets the rest aside and a warning names the last good event', () => {
  writeLog();
  const lines = readFileSync(path, 'utf8').split('\n');
  lines[2] = (lines[2] ?? '').replace('c1', 'c7');
  writeFileSync(path, lines.join('\n'));
  const { log, recorded, warnings } = EventLog.open(path);
  log.close();
  expect(recorded.map((entry) => entry.seq)).toEqual([1]);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('damaged after event 1');
  expect(readFileSync(`${path}.torn`, 'utf8')).toBe(lines.slice(2).join('\n'));
});

test('a lost line is noticed, although every other line is intact', () => {
  writeLog();
  const lines = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [...lines.slice(0, 2), ...lines.slice(3)].join('\n'));
  expect(readLog(path).map((entry) => entry.seq)).toEqual([1]);
});

test('a log of a newer version is refused and left as it is', () => {
  writeLog();
  const text = readFileSync(path, 'utf8').replace(`"version":${LOG_VERSION}`, `"version":${LOG_VERSION + 1}`);
  writeFileSync(path, text);
  expect(codeOf(() => EventLog.open(path))).toBe('session.newer-version');
  expect(codeOf(() => readLog(path))).toBe('session.newer-version');
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test('events of an older version are raised, and those after a later header are not', () => {
  const header = (version: number) => {
    const open = `{"log":"aish","version":${version}`;
    return `${open},"sum":"${Bun.hash.crc32(open).toString(16).padStart(8, '0')}"}\n`;
  };
  const line = (seq: number) => formatRecord({ seq, at: 1, event: { type: 'tool-call.started', callId: `c${seq}` } });
  const text = header(1) + line(1) + header(2) + line(2);
  const content = parseLog(Buffer.from(text), [(event) => ({ ...event, callId: `raised ${String(event.callId)}` })]);
  expect(content.recorded.map(({ event }) => event)).toEqual([
    { type: 'tool-call.started', callId: 'raised c1' },
    { type: 'tool-call.started', callId: 'c2' },
  ]);
});

test('opening a log that does not exist says so', () => {
  expect(codeOf(() => EventLog.open(path))).toBe('session.not-found');
});

test('a second owner in the same process is refused until the first has closed', () => {
  writeLog();
  const { log } = EventLog.open(path);
  expect(codeOf(() => EventLog.open(path))).toBe('session.locked');
  log.close();
  EventLog.open(path).log.close();
});

test('without a libc a file with our process id is the lock, and that of a dead process is taken over', async () => {
  writeLog();
  const { log } = EventLog.open(path, { calls: null });
  expect(codeOf(() => EventLog.open(path, { calls: null }))).toBe('session.locked');
  log.close();
  const gone = Bun.spawn(['true']);
  await gone.exited;
  writeFileSync(`${path}.lock`, String(gone.pid));
  EventLog.open(path, { calls: null }).log.close();
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test('reading a log that is in use changes nothing in it', () => {
  writeLog();
  truncateSync(path, statSync(path).size - 3);
  const before = readFileSync(path);
  expect(readLog(path)).toHaveLength(3);
  expect(readFileSync(path)).toEqual(before);
});

test('an estimate and a dry run of version 1 are read as the report that both have now', () => {
  const bytes = readFileSync(join(import.meta.dir, '../../../test/fixtures/logs/v1/many-kinds.jsonl'));
  const reports = parseLog(bytes).recorded.flatMap(({ event }) => {
    const isReported = event.type === 'impact.estimated' || event.type === 'dry-run.completed';
    return isReported && event.report !== undefined ? [event.report] : [];
  });
  expect(reports.length).toBeGreaterThan(3);
  for (const { effects, hosts, unknown, notes } of reports)
    expect([effects, hosts, unknown, notes].map((one) => Array.isArray(one))).toEqual([true, true, true, true]);
});
