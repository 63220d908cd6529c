import { expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { faultsOfRequest } from '../../../test/support/dialects.ts';
import { evolve, fold } from '../../core/session/evolve.ts';
import { next } from '../../core/session/next.ts';
import { DEFAULT_SETTINGS, isIdle } from '../../core/session/state.ts';
import { readLog } from './event-log.ts';
import { parseLog } from './log-line.ts';

const FIXTURES = join(import.meta.dir, '..', '..', '..', 'test', 'fixtures', 'logs');

/**
 * Logs as released versions wrote them: a short session, one that was killed again and again, and a random life with nearly every kind of
 * fact. They are never regenerated: a change that breaks one needs an upcaster.
 */
const LOGS = readdirSync(FIXTURES).flatMap((version) =>
  readdirSync(join(FIXTURES, version)).map((name) => join(version, name)),
);

test('there is a stored log for every version', () => {
  expect(LOGS).toContain(join('v1', 'one-write.jsonl'));
});

test('the session of the first release still tells what it told then', () => {
  const recorded = readLog(join(FIXTURES, 'v1', 'one-write.jsonl'));
  expect(recorded.at(-1)?.event).toEqual({ type: 'turn.ended', reason: 'interrupted', text: 'I wi' });
  expect(isIdle(fold(recorded.map(({ event }) => event)))).toBe(true);
});

test('the same session reads the same, whichever version wrote it', () => {
  for (const name of readdirSync(join(FIXTURES, 'v1'))) {
    const [old, newer] = ['v1', 'v2'].map((version) => readLog(join(FIXTURES, version, name)));
    expect(newer).toEqual(old ?? []);
    expect(JSON.stringify(newer)).not.toMatch(/"(seat|judged|unasked|floors|told|person|frame)":|"by":"person"/);
  }
});

for (const name of LOGS) {
  test(`the stored log ${name} is read to its end, resumed, and its next request taken by every dialect`, () => {
    const bytes = readFileSync(join(FIXTURES, name));
    const { recorded, unknown, goodBytes } = parseLog(bytes);
    expect([unknown, goodBytes]).toEqual([[], bytes.length]);
    const resumed = evolve(fold(recorded.map(({ event }) => event)), {
      type: 'session.resumed',
      settings: DEFAULT_SETTINGS,
    });
    expect([isIdle(resumed), next(resumed)]).toEqual([true, []]);
    const asking = evolve(resumed, { type: 'turn.started', turn: resumed.turns + 1, text: 'go on' });
    expect(faultsOfRequest(asking)).toEqual([]);
  });
}
