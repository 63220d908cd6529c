import { expect, test } from 'bun:test';
import type { DelayReason, RequestDelay } from '../../../protocol/model.ts';
import { formatDelay } from './turn-lines.ts';

const delay: RequestDelay = { reason: 'overloaded', model: 'cloud', waitMs: 8000, attempt: 1, of: 4, said: 'Busy.' };
const REASONS: readonly DelayReason[] = [
  'loading',
  'rate-limited',
  'overloaded',
  'unavailable',
  'timed-out',
  'server-error',
  'connection-lost',
  'connection-refused',
];

test('each reason to wait has its line', () => {
  const lines = REASONS.map((reason) => formatDelay({ ...delay, reason }, 7600));
  const others = [formatDelay({ ...delay, of: null, said: '' }, 200), formatDelay({ ...delay, of: 1 }, 0)];
  expect([...lines, ...others].join('\n')).toMatchInlineSnapshot(`
    "cloud is loading its model (1 of 4)
    cloud is rate-limiting requests (1 of 4): Busy; aish tries again in 8 s
    cloud is overloaded (1 of 4): Busy; aish tries again in 8 s
    cloud is not available at the moment (1 of 4): Busy; aish tries again in 8 s
    cloud gave up waiting for the request (1 of 4): Busy; aish tries again in 8 s
    cloud reports an error (1 of 4): Busy; aish tries again in 8 s
    cloud closed the connection without a response (1 of 4): Busy; aish tries again in 8 s
    cloud does not accept connections yet (1 of 4): Busy; aish tries again in 8 s
    cloud is overloaded; aish tries again in 1 s
    cloud is overloaded: Busy; aish tries again"
  `);
});
