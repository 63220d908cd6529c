import { expect, test } from 'bun:test';
import type { Recorded, SessionEvent } from '../../protocol/event.ts';
import { groupBy, listPrice, stepsOf, sumUp } from './spending.ts';

const prefix = (model: string, host: string) =>
  ({
    type: 'request.prefixed',
    prefix: { endpoint: 'm', model, host, outputBudget: 1, images: false, system: '', tools: [] },
  }) as const;
const step = (usage: object, timing?: object): SessionEvent =>
  ({ type: 'step.completed', text: 'a', calls: [], finish: 'stop', model: 'm', usage, ...(timing && { timing }) }) as SessionEvent;
const record = (...events: readonly SessionEvent[]): Recorded[] => events.map((event, seq) => ({ seq, at: 1000 * seq, event }));

test('tokens, times and costs are added up from the events', () => {
  const steps = stepsOf(
    record(
      prefix('gpt-4o-2024-08-06', 'api.openai.com'),
      { type: 'turn.started', turn: 1, text: 'a' },
      step({ promptTokens: 1000, completionTokens: 100, cachedTokens: 600 }, { firstMs: 500, totalMs: 2500 }),
      { type: 'turn.started', turn: 2, text: 'b' },
      step({ promptTokens: 2000, completionTokens: 300 }, { firstMs: 300, totalMs: 2300 }),
    ),
    (_, served, host) => listPrice(served, host),
  );
  expect(sumUp(steps)).toEqual({
    requests: 2,
    promptTokens: 3000,
    cachedTokens: 600,
    completionTokens: 400,
    tokensPerSecond: 100,
    firstMs: 400,
    usd: (400 * 2.5 + 600 * 1.25 + 2000 * 2.5 + 400 * 10) / 1_000_000,
    unpriced: 0,
  });
  expect([...groupBy(steps, ({ turn }) => String(turn)).keys()]).toEqual(['1', '2']);
});

test('a request beside the conversation counts at the price of its own model', () => {
  const usage = { promptTokens: 1_000_000, completionTokens: 0 };
  const counted = { type: 'request.counted', model: 'fast', served: 'm', host: 'localhost', usage } as const;
  const steps = stepsOf(record(prefix('gpt-4o', 'api.openai.com'), step(usage), counted), (_, served, host) => listPrice(served, host));
  expect(steps.map(({ model, promptTokens, usd }) => [model, promptTokens, usd])).toEqual([
    ['m', 1_000_000, 2.5],
    ['fast', 1_000_000, 0],
  ]);
});

test('a local model costs nothing, and an unknown one has no price', () => {
  const hosts = ['localhost', '127.0.0.1', '192.168.1.5', 'gpu-box', 'gpu.local', '[::1]'];
  expect(hosts.map((host) => listPrice('any', host))).toEqual(hosts.map(() => ({ input: 0, output: 0 })));
  expect([listPrice('any', 'api.example.com'), listPrice('openai/gpt-4o', 'openrouter.ai')?.input]).toEqual([null, 2.5]);
  const steps = stepsOf(record(step({ promptTokens: 5, completionTokens: 1 })), () => null);
  expect(sumUp(steps)).toMatchObject({ usd: 0, unpriced: 1, tokensPerSecond: null, firstMs: null });
});
