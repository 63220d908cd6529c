import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOMES, loosePins, registryAddresses, strayImports } from './dependencies.ts';
import { plantedTree, ROOT, readSource } from './source.ts';

const tree = plantedTree('dependencies');

describe('the project', () => {
  test('imports each npm package from its one folder', () => expect(strayImports(readSource(ROOT), HOMES)).toEqual([]));
  test('pins every dependency to one version', () => {
    expect(loosePins(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')), HOMES)).toEqual([]);
  });
  test('has a lock file that names no registry', () => {
    expect(registryAddresses(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))).toEqual([]);
  });
});

describe('a planted tree', () => {
  test('is caught importing a package away from home, lazily too, and one without a home', () => {
    expect(strayImports(readSource(tree), HOMES)).toEqual([
      'src/core/stray.ts imports @modelcontextprotocol/client, whose home is src/adapters/mcp/',
      'src/core/stray.ts imports left-pad, which has no home yet',
      'src/core/stray.ts imports hono, whose home is src/hosts/daemon/',
    ]);
  });

  test('is caught with a loose pin and a dependency nobody may import', () => {
    expect(loosePins(JSON.parse(readFileSync(join(tree, 'manifest.json'), 'utf8')), HOMES)).toEqual([
      'hono is "^4.13.19", not one exact version',
      'left-pad is a dependency without a home',
    ]);
  });

  test('is caught with a registry in its lock file', () => {
    expect(registryAddresses(readFileSync(join(tree, 'lock.json'), 'utf8'))).toEqual([
      '"resolved": "https://registry.example/hono.tgz"',
    ]);
  });
});
