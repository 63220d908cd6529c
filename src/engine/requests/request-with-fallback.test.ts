import { expect, test } from 'bun:test';
import { toEndpoint } from '../../adapters/model/models.ts';
import { Circuits } from './request-with-fallback.ts';

const endpoint = toEndpoint('a', { base_url: 'http://127.0.0.1:9/v1' }, null);

test('a server that failed is left alone until it answers a look', async () => {
  const checks: (() => void)[] = [];
  const waits: (() => void)[] = [];
  const circuits = new Circuits({
    check: () =>
      new Promise<void>((resolve, reject) =>
        checks.push(checks.length === 0 ? () => reject(new Error('down')) : resolve),
      ),
    wait: () => new Promise<void>((resolve) => waits.push(resolve)),
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  circuits.trip(endpoint);
  circuits.trip(endpoint);
  expect([circuits.isOpen(endpoint), waits.length]).toEqual([true, 1]);
  waits[0]?.();
  await settle();
  checks[0]?.();
  await settle();
  expect([circuits.isOpen(endpoint), waits.length]).toEqual([true, 2]);
  waits[1]?.();
  await settle();
  checks[1]?.();
  await settle();
  expect([circuits.isOpen(endpoint), waits.length]).toEqual([false, 2]);
});

test('an answer closes the circuit at once', () => {
  const circuits = new Circuits({ check: async () => {}, wait: () => new Promise<void>(() => {}) });
  circuits.trip(endpoint);
  circuits.reset(endpoint);
  expect(circuits.isOpen(endpoint)).toBe(false);
});
