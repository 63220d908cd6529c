import { expect, test } from 'bun:test';
import { Home } from '../../../test/support/aish.ts';
import { toPaths } from '../../adapters/config/paths.ts';
import { EventLog, logPath } from '../../adapters/store/event-log.ts';
import { type Config, DEFAULT_CONFIG } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import type { DurableEvent, Recorded } from '../../protocol/event.ts';
import { checkBudget } from './check-budget.ts';

const NOW = Date.parse('2026-11-20T12:00:00');
const MINUTE = 60_000;

const models: Config['models'] = { m: { base_url: 'https://example.com/v1', price_input: 10, price_output: 100 } };

/** An answer of 1,100 tokens, which costs 2 cents. */
const step: DurableEvent = {
  type: 'step.completed',
  text: 'a',
  calls: [],
  finish: 'stop',
  model: 'm',
  usage: { promptTokens: 1000, completionTokens: 100 },
};
const turn = (number: number): DurableEvent => ({ type: 'turn.started', turn: number, text: 'a' });

function recordedOf(...events: readonly DurableEvent[]): readonly Recorded[] {
  return events.map((event, at) => ({ seq: at + 1, at: NOW - 10 * MINUTE + at * MINUTE, event }));
}

/** The warnings, and the message of the refusal; null without one. */
function check(
  home: Home,
  budget: Config['budget'],
  recorded: readonly Recorded[],
): readonly [string[], string | null] {
  const warnings: string[] = [];
  const config = { ...DEFAULT_CONFIG, models, budget };
  const { state } = toPaths(home.env);
  const warned = new Set<string>();
  const warn = (text: string): void => void warnings.push(text);
  const look = (): void => checkBudget({ config, sessionId: 'own', recorded, state, now: NOW, warned, warn });
  try {
    look();
    look();
    return [warnings, null];
  } catch (thrown) {
    if (!(thrown instanceof AishError) || thrown.code !== 'budget.reached') throw thrown;
    return [warnings, thrown.message];
  }
}

test('each limit warns once at four fifths of it, and stops at it', () => {
  using home = new Home();
  const recorded = recordedOf(turn(1), step, turn(2), step, step);
  const cases: readonly (readonly [Config['budget'], number, string | null])[] = [
    [{}, 0, null],
    [{ tokens: 10_000 }, 0, null],
    [{ tokens: 4000 }, 1, null],
    [{ tokens: 3300 }, 0, 'the budget of 3,300 tokens for this session is used up'],
    [{ session_usd: 0.07 }, 1, null],
    [{ session_usd: 0.05 }, 0, 'the budget of $0.05 for this session is used up'],
    [{ day_usd: 0.05 }, 0, 'the budget of $0.05 for today is used up'],
    [{ steps: 3 }, 0, null],
    [{ steps: 2 }, 0, 'the budget of 2 steps for this turn is used up'],
    [{ minutes: 9 }, 1, null],
    [{ minutes: 8 }, 0, 'the budget of 8 minutes for this turn is used up'],
  ];
  expect(
    cases.map(([budget]) => check(home, budget, recorded)).map(([warnings, end]) => [warnings.length, end]),
  ).toEqual(cases.map(([, warnings, end]) => [warnings, end]));
});

test('the other sessions of today count for the day', () => {
  using home = new Home();
  const log = EventLog.create(logPath(toPaths(home.env).state, 'other'));
  log.append([turn(1), step, step], NOW);
  log.close();
  expect(check(home, { day_usd: 0.05 }, recordedOf(turn(1), step))[1]).toBe('the budget of $0.05 for today is used up');
  expect(check(home, { day_usd: 0.2 }, recordedOf(turn(1), step))).toEqual([[], null]);
});
