import { expect, test } from 'bun:test';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { ToolCache, toCachedTool, toDefinition, toIdentity } from './tool-cache.ts';

const folder = useFolder('cache');

test('what was written is read, and what is missing or damaged is nothing', () => {
  const cache = new ToolCache(folder);
  const tool = {
    name: 'a',
    description: 'A',
    parameters: { type: 'object' },
    effect: 'write',
    hint: 'read',
    fingerprint: 'f',
  } as const;
  const instructions = { name: '', text: 'Be brief.', fingerprint: 'i' } as const;
  const server = { tools: [tool], instructions, version: '1', era: 'legacy', at: 5 } as const;
  cache.write('abc', server);
  expect([cache.read('abc'), cache.read('other')]).toEqual([server, null]);
  const damaged = ['{"format":3,"tools":[', '{"format":2,"tools":[]}', '{"format":3,"tools":[{"name":"a"}]}'];
  for (const text of damaged) {
    writeFileSync(join(folder, 'mcp', 'abc.json'), text);
    expect([cache.read('abc'), readdirSync(join(folder, 'mcp'))]).toEqual([null, ['abc.json']]);
  }
});

test('a remembered tool takes the alias its server goes by now', () => {
  const tool = { name: 'old.a', description: 'A', parameters: {}, effect: 'write' } as const;
  expect(toDefinition('new', toCachedTool({ name: 'a', tool, fingerprint: 'f' }))).toEqual({
    name: 'a',
    tool: { name: 'new.a', description: 'A', parameters: {}, effect: 'write' },
    fingerprint: 'f',
  });
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
