import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fold } from '../../core/session/evolve.ts';
import { isIdle } from '../../core/session/state.ts';
import { readLog } from './event-log.ts';

const FIXTURES = join(import.meta.dir, '..', '..', '..', 'test', 'fixtures', 'logs');

/** Logs as released versions wrote them. They are never regenerated: a change that breaks one needs an upcaster. */
const LOGS = readdirSync(FIXTURES).flatMap((version) =>
  readdirSync(join(FIXTURES, version)).map((name) => join(version, name)),
);

test('there is a stored log for every version', () => {
  expect(LOGS).toContain(join('v1', 'one-write.jsonl'));
});

for (const name of LOGS) {
  test(`the stored log ${name} can still be read to its end and folded`, () => {
    const recorded = readLog(join(FIXTURES, name));
    expect(recorded.at(-1)?.event).toEqual({ type: 'turn.ended', reason: 'interrupted', text: 'I wi' });
    const state = fold(recorded.map(({ event }) => event));
    expect(isIdle(state)).toBe(true);
  });
}
