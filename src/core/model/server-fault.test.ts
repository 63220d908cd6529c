import { expect, test } from 'bun:test';
import { isLoopbackHost } from '../text/address.ts';
import { readServerFault, toShownUrl } from './server-fault.ts';

test('names and numbers of this machine are loopback, and nothing that only looks like them is', () => {
  const own = ['localhost', 'LOCALHOST', 'api.localhost', '127.0.0.1', '127.1.2.3', '::1', '[::1]'];
  const others = ['example.com', 'localhost.example', '127.0.0.1.example', '128.0.0.1', '127.0.0', '[::2]', ''];
  expect([own.map(isLoopbackHost), others.map(isLoopbackHost)]).toEqual([own.map(() => true), others.map(() => false)]);
});

test.each([
  ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
  ['http://me:hunter2@host/v1?api_key=Q', 'http://host/v1?…'],
  ['https://me:p%40ss:@w@host:1/v1#part', 'https://host:1/v1'],
  ['https://key@host', 'https://host'],
  ['https://host?key=1', 'https://host?…'],
  ['https://host/a@b', 'https://host/a@b'],
  ['no address', 'no address'],
])('%p is shown as %p', (address, shown) => {
  expect(toShownUrl(address)).toBe(shown);
});

test.each<[said: string, waitMs: number | undefined]>([
  ['Rate limit reached. Please try again in 1.2s. Visit the site.', 1200],
  ['Please try again in 1m2.5s.', 62_500],
  ['Please retry in 800 ms', 800],
  ['retry after 3 seconds', 3000],
  ['Retry in 250 milliseconds', 250],
  ['try again in 2 minutes', 120_000],
  ['Please try again in 7h30m12s', 27_012_000],
  ['Please try again later', undefined],
  ['limit of 30 requests reached, retry', undefined],
])('the pause in %j is %p', (message, waitMs) => {
  expect(readServerFault({ error: { message } }).retryAfterMs).toEqual(waitMs);
});

test('the pause of Google stands in a detail', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '12.5s' }];
  expect(readServerFault([{ error: { code: 429, message: 'You exceeded your current quota', details } }]).retryAfterMs).toBe(12_500);
});

test('the words of a provider stand behind those of its gateway', () => {
  const metadata = { raw: '{"error":{"message":"stream_options: not permitted"}}' };
  const body = { error: { message: 'Provider returned error', code: 400, metadata } };
  expect(readServerFault(body).message).toBe('Provider returned error: stream_options: not permitted');
  expect(readServerFault({ errorMessage: 'Task timed out' }).message).toBe('Task timed out');
});
