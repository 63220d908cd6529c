import { expect, test } from 'bun:test';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../test/support/test-folder.ts';
import { listAdded, removeProvider } from './provider-packages.ts';

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
