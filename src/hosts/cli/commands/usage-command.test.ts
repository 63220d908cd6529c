import { expect, test } from 'bun:test';
import { Home } from '../../../../test/support/aish.ts';
import { toPaths } from '../../../adapters/config/paths.ts';
import { EventLog, logPath } from '../../../adapters/store/event-log.ts';
import { type Config, DEFAULT_CONFIG } from '../../../protocol/config.ts';
import type { SessionEvent } from '../../../protocol/event.ts';
import { runCost, showCost } from './usage-command.ts';

const NOW = Date.parse('2026-11-20T12:00:00');

const step = (model: string): SessionEvent => ({
  type: 'step.completed',
  text: 'a',
  calls: [],
  finish: 'stop',
  model,
  usage: { promptTokens: 1000, completionTokens: 50, cachedTokens: 400 },
  timing: { firstMs: 200, totalMs: 1200 },
});

test('a session, and the days of all sessions, are counted with configured prices', () => {
  using home = new Home();
  const models: Config['models'] = {
    paid: { base_url: 'https://example.com/v1', price_input: 2, price_output: 10, price_cached: 1 },
    other: { base_url: 'https://example.org/v1' },
  };
  const setup = { paths: toPaths(home.env), loaded: { config: { ...DEFAULT_CONFIG, models } } } as never;
  const recorded = [
    { seq: 1, at: NOW, event: { type: 'turn.started', turn: 1, text: 'a' } },
    { seq: 2, at: NOW, event: step('paid') },
    { seq: 3, at: NOW, event: step('other') },
  ] as const;
  const shown = showCost({ setup, recorded, now: NOW, columns: 80 });
  expect(shown).toMatch(/this session +2 +2,000 +800 +100 +50\.0 +0\.20 s +\$0\.0021\?/);
  expect(shown).toMatch(/ {2}paid +1 .* \$0\.0021\n/);
  expect(shown).toMatch(/today +0 /);
  expect(shown).toContain('price_input');
  expect(showCost({ setup, recorded, now: NOW, columns: 40 })).toMatch(
    /^last turn: requests 2, input 2,000,\ncached 800, /,
  );
  expect(runCost([], setup, NOW)).toBe('No model answered in the last 7 days.');
});

test('aish cost reads the logs of the last days', () => {
  using home = new Home();
  const setup = { paths: toPaths(home.env), loaded: { config: DEFAULT_CONFIG } } as never;
  const path = logPath(toPaths(home.env).state, 's1');
  const log = EventLog.create(path);
  const now = Date.now();
  log.append([step('local') as never], now);
  log.close();
  expect(runCost(['--days', '1'], setup, now)).toMatch(/local +1 +1,000 +400 +50 +50\.0 +0\.20 s +\?/);
  expect(JSON.parse(runCost(['--output', 'json'], setup, now))).toMatchObject([
    { model: 'local', requests: 1, prompt_tokens: 1000, usd: 0, unpriced_requests: 1 },
  ]);
});
