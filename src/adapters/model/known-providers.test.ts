import { expect, test } from 'bun:test';
import { KNOWN_PROVIDERS, MADE_WITH } from './known-providers.ts';
import { MODEL_PRESETS } from './presets.ts';

test('the code of each package was made by this Bun: after an update, AISH_TEST_REGISTRY=1 shows the new hashes', () => {
  expect(MADE_WITH).toBe(Bun.version);
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
