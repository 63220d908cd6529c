import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { MODEL_PRESETS } from './presets.ts';
import { KNOWN_PROVIDERS, listAdded, removeProvider } from './provider-packages.ts';

test('a name that leads out of the folder of the providers names none', () => {
  const folder = join(useFolder('providers'), 'all');
  const pin = { package: 'a', version: '1', integrity: 'i', code: 'c', at: 1 };
  for (const place of ['../victim', 'mine']) {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, 'provider.json'), JSON.stringify(pin));
  }
  expect([removeProvider(folder, '../victim'), existsSync(join(folder, '../victim'))]).toEqual([false, true]);
  expect(listAdded(folder).map(({ name }) => name)).toEqual(['mine']);
  expect([removeProvider(folder, 'mine'), existsSync(join(folder, 'mine'))]).toEqual([true, false]);
});

test('the code of each package was made by this Bun: after an update, AISH_TEST_REGISTRY=1 shows the new hashes', () => {
  expect(Bun.version).toBe('1.4.5');
});

test('each known package has a preset, and one exact version of all that it depends on', () => {
  for (const { name, version, integrity, dependencies, code } of KNOWN_PROVIDERS) {
    expect(MODEL_PRESETS.find((one) => one.name === name)?.provider).toBe(name);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    expect(code).toMatch(/^[0-9a-f]{64}$/);
    for (const one of dependencies) expect(one).toMatch(/^(@[\w-]+\/)?[\w-]+@\d+\.\d+\.\d+$/);
  }
});
