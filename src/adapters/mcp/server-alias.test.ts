import { expect, test } from 'bun:test';
import { createAlias, findAliasFault } from './servers.ts';

test('an alias is made from the host or the program, and is made unique', () => {
  const sources = [
    { url: 'http://boltzmann.fritz.box:8080/mcp' },
    { url: 'https://mcp.example.com/' },
    { url: 'http://127.0.0.1:3001/mcp' },
    { url: 'http://[::1]/mcp' },
    { url: 'https://aish.dev/mcp' },
    { command: '/usr/local/bin/mcp-server.sh' },
  ];
  expect(sources.map((source) => createAlias(source, ['example']))).toEqual([
    'boltzmann',
    'example-2',
    '127-0-0-1',
    '1',
    'aish-2',
    'mcp-server-sh',
  ]);
});

test('an alias with a dot, a reserved or a taken one is refused with the reason', () => {
  expect(['a.b', 'aish', 'fs', 'ok'].map((alias) => findAliasFault(alias, ['fs']))).toEqual([
    'an alias has at most 40 letters, digits, - and _',
    `"aish" is the name of aish's own tools`,
    'the session already has a server "fs"',
    null,
  ]);
});
