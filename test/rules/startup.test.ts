import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { plantedTree, ROOT } from './source.ts';
import { heavyImports } from './startup.ts';

/** Folders whose modules load at their first use only. */
const BARRED = ['src/hosts/daemon/'];

/** What loads on the way to the prompt: the entry, and what it imports for the interactive shell. */
const ENTRIES = ['src/hosts/main.ts', 'src/hosts/cli/shell.ts', 'src/hosts/cli/print.ts'];

/** What speaks to an MCP server, and what is only needed when one has spoken. */
const WIRE = ['dial', 'connection', 'stdio-transport', 'http-transport', 'repair-schema'];

test('the remembered tools of a server are at hand without what speaks to it', () => {
  const barred = WIRE.map((name) => `src/adapters/mcp/${name}.ts`);
  expect(heavyImports(ROOT, 'src/adapters/mcp/servers.ts', barred)).toEqual([]);
});

describe('the way to the prompt', () => {
  for (const entry of ENTRIES.filter((path) => existsSync(join(ROOT, path)))) {
    test(`${entry} loads nothing heavy`, () => expect(heavyImports(ROOT, entry, BARRED)).toEqual([]));
  }

  test('begins at the entry of the program', () => expect(existsSync(join(ROOT, 'src/hosts/main.ts'))).toBe(true));
});

test('a planted tree is caught loading a package and a host before the prompt, but not lazily or for a type', () => {
  expect(heavyImports(plantedTree('startup'), 'src/hosts/main.ts', BARRED)).toEqual([
    'src/hosts/main.ts > src/hosts/daemon/server.ts',
    'src/hosts/main.ts > src/adapters/heavy.ts > hono',
  ]);
});
