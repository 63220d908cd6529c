import { expect, test } from 'bun:test';
import { isLoopbackHost, toShownUrl } from './server-fault.ts';

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
