import { expect, test } from 'bun:test';
import { toEndpoint } from '../../adapters/model/models.ts';
import { estimateRequest } from '../../core/context/estimate.ts';
import { evolve, fold } from '../../core/session/evolve.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import { ContextWindowCache } from '../requests/context-window-cache.ts';
import { countNearLimit } from './near-limit.ts';

const ENDPOINT = toEndpoint('local', { base_url: 'http://127.0.0.1:8080/v1', model: 'm' }, null);
const WINDOW = { model: 'local', tokens: 4096, origin: 'server' } as const;
const STATE = evolve(fold([]), { type: 'context.window', window: WINDOW });

/** The estimate of a request of so many letters after the server counted it. */
async function estimateAfter(
  letters: number,
  counted: number | null,
): Promise<readonly [asked: number, tokens: number]> {
  const windows = new ContextWindowCache({
    configured: () => undefined,
    store: { read: () => new Map(), write: () => {} },
  });
  const request: ModelRequest = { messages: [{ role: 'user', content: 'x'.repeat(letters) }], tools: [] };
  let asked = 0;
  const count = async (): Promise<number | null> => {
    asked += 1;
    return counted;
  };
  const deps = { windows, compactAt: 80, fastModel: null, tellWindow: () => {} };
  await countNearLimit({ state: () => STATE }, ENDPOINT, request, deps, count);
  return [asked, Math.round(estimateRequest(request) * windows.correction(ENDPOINT))];
}

test('a request near the limit gets the exact size, and others cost no question', async () => {
  expect(await estimateAfter(11_000, 2000)).toEqual([1, 2000]);
  expect((await estimateAfter(11_000, null))[0]).toBe(1);
  expect((await estimateAfter(1000, 500))[0]).toBe(0);
  expect((await estimateAfter(40_000, 9000))[0]).toBe(0);
});
