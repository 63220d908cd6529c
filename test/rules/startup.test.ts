import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, plantedTree, ROOT, readSource } from './source.ts';
import { heavyImports, loadedBytes } from './startup.ts';

/** Folders and files that load at their first use only. */
const BARRED = [
  'src/hosts/daemon/',
  'src/hosts/mcp/',
  'src/core/commands/specs/',
  'src/core/routing/words.ts',
  'src/core/memory/',
];

/** The modules on the way to the prompt: the entry, and its imports for the interactive shell. */
const ENTRIES = ['src/hosts/main.ts', 'src/hosts/cli/main/shell.ts', 'src/hosts/cli/main/print.ts'];

/**
 * How much source each way may load, in bytes. All of it is opened and evaluated while somebody waits: what is over a bar is loaded late,
 * or parted from what the first prompt needs. A bar goes down with what it measures, and up only for what the first prompt itself needs.
 */
const MOST_BYTES = { shell: 651_000, print: 831_500 };

test('nothing imports the promises of node:fs by name, which loads them and events with every start', () => {
  const found = readSource(ROOT).filter(({ text }) => /^import \{[^}]*\bpromises\b[^}]*\} from 'node:fs'/m.test(text));
  expect(found.map(({ path }) => path)).toEqual([]);
});

/** The modules that speak to an MCP server, and those needed only after a server has spoken. */
const WIRE = ['connection', 'stdio-transport', 'http-transport', 'repair-schema'];

test('the remembered tools of a server are at hand without what speaks to it', () => {
  const barred = WIRE.map((name) => `src/adapters/mcp/${name}.ts`);
  expect(heavyImports(ROOT, 'src/adapters/mcp/servers.ts', barred)).toEqual([]);
});

test('the files that a question names are found without what is known of programs', () => {
  expect(heavyImports(ROOT, 'src/adapters/files/private-files.ts', BARRED)).toEqual([]);
});

test.each([
  ['node:crypto', 'Bun hashes by itself'],
  ['node:tty', 'isTerminal asks the system'],
])('nothing loads %s, which takes as long as the rest of a start: %s', (name) => {
  const found = readSource(ROOT).filter((file) =>
    importsOf(file).some(({ specifier, isLazy }) => specifier === name && !isLazy),
  );
  expect(found.map(({ path }) => path)).toEqual([]);
});

describe('the way to the prompt', () => {
  for (const entry of ENTRIES.filter((path) => existsSync(join(ROOT, path)))) {
    test(`${entry} loads nothing heavy`, () => expect(heavyImports(ROOT, entry, BARRED)).toEqual([]));
  }

  test.each([
    ['shell', MOST_BYTES.shell],
    ['print', MOST_BYTES.print],
  ])('%s loads no more source than its bar', (name, most) => {
    expect(loadedBytes(ROOT, ['src/hosts/main.ts', `src/hosts/cli/main/${name}.ts`])).toBeLessThanOrEqual(most);
  });

  test('begins at the entry of the program', () => expect(existsSync(join(ROOT, 'src/hosts/main.ts'))).toBe(true));
});

test('a planted tree is caught loading a package and a host before the prompt, but not lazily or for a type', () => {
  expect(heavyImports(plantedTree('startup'), 'src/hosts/main.ts', BARRED)).toEqual([
    'src/hosts/main.ts > src/hosts/daemon/server.ts',
    'src/hosts/main.ts > src/adapters/heavy.ts > hono',
  ]);
});

test('what loads is weighed once, however many ways lead to it', () => {
  expect(loadedBytes(plantedTree('startup'), ['src/hosts/main.ts', 'src/hosts/daemon/server.ts'])).toBe(463);
});
