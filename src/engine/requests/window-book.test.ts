import { afterEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toEndpoint } from '../../adapters/model/models.ts';
import { WindowCache } from '../../adapters/store/window-cache.ts';
import { WindowBook } from './window-book.ts';

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

function openBook(folder: string, context?: number, now = 0): WindowBook {
  return new WindowBook({
    configured: () => (context === undefined ? { model: 'qwen3' } : { model: 'qwen3', context }),
    store: new WindowCache(folder, () => now),
  });
}

test('what a refusal told holds in the next process too, for a week', () => {
  const folder = makeFolder();
  openBook(folder).learn(endpoint, 4096, { isGuess: false });
  const later = [0, 6 * DAY_MS, 8 * DAY_MS].map((now) => openBook(folder, undefined, now).known(endpoint));
  const known = { model: 'm', tokens: 4096, origin: 'refusal' } as const;
  expect(later).toEqual([known, known, null]);
});

test('a guess holds in its process alone', () => {
  const folder = makeFolder();
  const book = openBook(folder);
  book.learn(endpoint, 4000, { isGuess: true });
  expect([book.known(endpoint)?.tokens, openBook(folder).known(endpoint)]).toEqual([4000, null]);
});

test('what the person configured goes before what was learned, unless a server refused even less', () => {
  const folder = makeFolder();
  const book = openBook(folder, 8192);
  const before = book.known(endpoint);
  book.learn(endpoint, 16_384, { isGuess: false });
  const larger = book.known(endpoint);
  book.learn(endpoint, 4096, { isGuess: false });
  expect([before, larger, book.known(endpoint)].map((window) => [window?.tokens, window?.origin])).toEqual([
    [8192, 'configured'],
    [8192, 'configured'],
    [4096, 'refusal'],
  ]);
});

test('the cache is its owner’s alone, and one that is damaged knows nothing', () => {
  const folder = makeFolder();
  const path = join(folder, 'context-windows.json');
  openBook(folder).learn(endpoint, 4096, { isGuess: false });
  const mode = statSync(path).mode & 0o777;
  writeFileSync(path, '{"http://127.0.0.1:9/v1 qwen3": {"tokens": -1, "origin": "server", "at": 0}, "x": 7');
  expect([mode, openBook(folder).known(endpoint)]).toEqual([0o600, null]);
});
