import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { VERSION } from './version.ts';

test('the version is the one of the package', () => {
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  );
  expect(VERSION).toBe(manifest.version);
});
