import { expect, test } from 'bun:test';
import type { DelayReason } from '../../protocol/model.ts';
import { NO_RETRIES, nextRetry, type RetryLimits, type Setback } from './retry-policy.ts';

const far: RetryLimits = { isNear: false, firstByteMs: 120_000, isExpected: true };
const near: RetryLimits = { isNear: true, firstByteMs: 600_000, isExpected: true };

/** The waits until aish gives up, if the server never recovers. */
function waits(setback: Setback, limits: RetryLimits, random = 0): number[] {
  const found: number[] = [];
  let progress = NO_RETRIES;
  for (;;) {
    const retry = nextRetry(progress, setback, limits, random);
    if (retry === null) return found;
    found.push(retry.waitMs);
    progress = retry.progress;
    if (found.length > 1000) throw new Error('it never ends');
  }
}

test.each<[reason: DelayReason, far: readonly number[]]>([
  ['rate-limited', [1000, 2000, 4000, 8000]],
  ['overloaded', [1000, 2000, 4000, 8000]],
  ['unavailable', [500, 1000, 2000, 4000]],
  ['timed-out', [500, 1000]],
  ['server-error', [500]],
  ['connection-lost', [500, 1000]],
  ['connection-refused', [500, 1000, 2000]],
])('a remote server with the fault %s is tried again after %j ms', (reason, expected) => {
  expect(waits({ reason }, far)).toEqual([...expected]);
});

test.each<DelayReason>(['overloaded', 'unavailable'])('a server nearby that is %s gets half a minute', (reason) => {
  const all = waits({ reason }, near);
  expect([all[0], all.at(-1), all.reduce((sum, wait) => sum + wait, 0)]).toEqual([500, 4000, 31_500]);
});

test('a server nearby gets no longer than its limit for the first byte', () => {
  const total = (setback: Setback) => waits(setback, { ...near, firstByteMs: 3000 }).reduce((sum, wait) => sum + wait, 0);
  expect([total({ reason: 'unavailable' }), total({ reason: 'loading' })]).toEqual([3500, 3750]);
});

test('a model that loads is waited for until the limit for the first byte, in steps of two seconds at most', () => {
  const all = waits({ reason: 'loading' }, near);
  expect([all.slice(0, 5), all.length > 300, Math.max(...all)]).toEqual([[250, 500, 1000, 2000, 2000], true, 2000]);
});

test('a server that has never answered is not waited for if its port is closed', () => {
  expect(waits({ reason: 'connection-refused' }, { ...near, isExpected: false })).toEqual([]);
});

test('the pause of the server is kept, and a long one is not waited for', () => {
  expect(waits({ reason: 'rate-limited', retryAfterMs: 7000 }, far)).toEqual([7000, 7000, 7000, 7000]);
  expect(waits({ reason: 'overloaded', retryAfterMs: 0 }, near, 0.9)).toHaveLength(12);
  expect(waits({ reason: 'overloaded', retryAfterMs: 60_001 }, near)).toEqual([]);
});

test('a random part spreads the waits: earlier without a pause of the server, and later with one', () => {
  expect(waits({ reason: 'rate-limited' }, far, 0.5)).toEqual([875, 1750, 3500, 7000]);
  expect(waits({ reason: 'rate-limited', retryAfterMs: 2000 }, far, 0.5)[0]).toBe(2250);
});

test('different faults in turn end too', () => {
  const reasons: readonly DelayReason[] = ['overloaded', 'unavailable', 'rate-limited', 'connection-lost'];
  let progress = NO_RETRIES;
  let count = 0;
  for (; count < 100; count += 1) {
    const retry = nextRetry(progress, { reason: reasons[count % 4] ?? 'overloaded', retryAfterMs: 0 }, near, 0);
    if (retry === null) break;
    progress = retry.progress;
  }
  expect(count).toBeLessThanOrEqual(12);
});

test('each repetition says which of how many it is', () => {
  const first = nextRetry(NO_RETRIES, { reason: 'rate-limited' }, far, 0);
  const loading = nextRetry(NO_RETRIES, { reason: 'loading' }, far, 0);
  expect([first?.attempt, first?.of, loading?.of]).toEqual([1, 4, null]);
});
