import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolCache, toIdentity } from './tool-cache.ts';

test('what was written is read, and what is missing or damaged is nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aish-cache-'));
  const cache = new ToolCache(folder);
  const server = { tools: [{ name: 'a' }], version: '1', era: 'legacy', at: 5 } as const;
  cache.write('abc', server);
  expect([cache.read('abc'), cache.read('other')]).toEqual([server, null]);
  writeFileSync(join(folder, 'mcp', 'abc.json'), '{"format":1,"tools":[');
  expect([cache.read('abc'), readdirSync(join(folder, 'mcp'))]).toEqual([null, ['abc.json']]);
});

test('an installed program is the same server in every folder, a local script is not', () => {
  const sameEverywhere = (command: string, ...args: string[]): boolean =>
    toIdentity({ command, args }, '/a') === toIdentity({ command, args }, '/b');
  expect([
    sameEverywhere('npx', '-y', '@scope/server', '/data'),
    sameEverywhere('/opt/server.sh'),
    sameEverywhere('./server'),
    sameEverywhere('node', 'server.js'),
    sameEverywhere('mcp-server-filesystem', '.'),
  ]).toEqual([true, true, false, false, false]);
});

test('another argument, variable name or address is another server; another value of a variable is not', () => {
  const identities = [
    { command: 'x', args: ['a'] },
    { command: 'x', args: ['b'] },
    { command: 'x', args: ['a'], env: { KEY: '1' } },
    { command: 'x', args: ['a'], env: { KEY: '2' } },
    { url: 'http://a/' },
    { url: 'http://b/' },
  ].map((config) => toIdentity(config, '/'));
  expect(new Set(identities).size).toBe(5);
});
