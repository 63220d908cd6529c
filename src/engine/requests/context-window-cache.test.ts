import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toEndpoint } from '../../adapters/model/models.ts';
import { ContextWindowCache, WindowCache } from './context-window-cache.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const DAY_MS = 24 * 60 * 60 * 1000;
const endpoint = toEndpoint('m', { base_url: 'http://127.0.0.1:9/v1', model: 'qwen3' }, null);

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'windows-'));
  folders.push(folder);
  return folder;
}

function openContextWindows(folder: string, context?: number, now = 0): ContextWindowCache {
  return new ContextWindowCache({
    configured: () => (context === undefined ? { model: 'qwen3' } : { model: 'qwen3', context }),
    store: new WindowCache(folder, () => now),
  });
}

test('what a refusal told holds in the next process too, for a week', () => {
  const folder = makeFolder();
  openContextWindows(folder).learn(endpoint, 4096, { isGuess: false });
  const later = [0, 6 * DAY_MS, 8 * DAY_MS].map((now) => openContextWindows(folder, undefined, now).known(endpoint));
  const known = { model: 'm', tokens: 4096, origin: 'refusal' } as const;
  expect(later).toEqual([known, known, null]);
});

test('a guess holds in its process alone', () => {
  const folder = makeFolder();
  const contextWindows = openContextWindows(folder);
  contextWindows.learn(endpoint, 4000, { isGuess: true });
  expect([contextWindows.known(endpoint)?.tokens, openContextWindows(folder).known(endpoint)]).toEqual([4000, null]);
});

test('what the user configured goes before what was learned, unless a server refused even less', () => {
  const folder = makeFolder();
  const contextWindows = openContextWindows(folder, 8192);
  const before = contextWindows.known(endpoint);
  contextWindows.learn(endpoint, 16_384, { isGuess: false });
  const larger = contextWindows.known(endpoint);
  contextWindows.learn(endpoint, 4096, { isGuess: false });
  expect([before, larger, contextWindows.known(endpoint)].map((window) => [window?.tokens, window?.origin])).toEqual([
    [8192, 'configured'],
    [8192, 'configured'],
    [4096, 'refusal'],
  ]);
});

test('the cache is its owner’s alone, and one that is damaged knows nothing', () => {
  const folder = makeFolder();
  const path = join(folder, 'context-windows.json');
  openContextWindows(folder).learn(endpoint, 4096, { isGuess: false });
  const mode = statSync(path).mode & 0o777;
  writeFileSync(path, '{"http://127.0.0.1:9/v1 qwen3": {"tokens": -1, "origin": "server", "at": 0}, "x": 7');
  expect([mode, openContextWindows(folder).known(endpoint)]).toEqual([0o600, null]);
});
