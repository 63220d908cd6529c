import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../src/protocol/version.ts';
import { ROOT } from '../steps.ts';
import { type BundledPackage, bundledPackages, formatBill, formatNotices } from './bundled-packages.ts';
import { formatFormula } from './formula.ts';
import { describeLauncher } from './npm-packages.ts';
import { lockedRuntime } from './runtimes.ts';
import { TARGETS } from './targets.ts';

const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const LIBRARY: BundledPackage = {
  name: '@scope/library',
  version: '1.2.3',
  license: 'MIT',
  text: 'Do as you like.\n',
  integrity: `sha512-${Buffer.from('abc').toString('base64')}`,
  homepage: 'https://example.org',
};

test('the runtime of every platform is pinned, in the version that builds', () => {
  expect(TARGETS.map((target) => lockedRuntime(target).version)).toEqual(TARGETS.map(() => Bun.version));
  expect(() => lockedRuntime({ runtime: 'bun-none' })).toThrow('no hash is pinned for @oven/bun-none');
});

test('every dependency of the program is among the packages of the bundle, with its licence and its hash', () => {
  const folder = mkdtempSync(join(tmpdir(), 'aish-bundle-'));
  const packages = bundledPackages(folder);
  rmSync(folder, { recursive: true });
  expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(dependencies)));
  expect(packages.filter(({ integrity, license }) => integrity === null || license === 'NOASSERTION')).toEqual([]);
  expect(packages.map(({ name }) => name)).not.toContain('typescript');
});

test('npm links the manual page, which it does for a list only', () => {
  expect(describeLauncher(VERSION)).toMatchObject({ man: ['aish.1'] });
});

test('the notices have the text of each licence, and name the runtime', () => {
  const notices = formatNotices([LIBRARY], '9.9.9');
  expect(notices).toContain('@scope/library 1.2.3 (MIT)\nhttps://example.org\n\nDo as you like.\n');
  expect(notices).toContain('Bun 9.9.9 (MIT)');
});

test('the bill of materials names version, commit, packages and runtime, and is the same each time', () => {
  const subject = { version: '1.0.0', commit: 'abc', timestamp: '2026-01-01T00:00:00.000Z', bun: '9.9.9' };
  const bill = formatBill([LIBRARY], subject);
  expect(formatBill([LIBRARY], subject)).toBe(bill);
  expect(JSON.parse(bill)).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'aish', version: '1.0.0', properties: [{ name: 'commit', value: 'abc' }] } },
    components: [
      { purl: 'pkg:npm/%40scope/library@1.2.3', hashes: [{ alg: 'SHA-512', content: '616263' }] },
      { name: 'bun', version: '9.9.9' },
    ],
  });
});

test('the formula has the address and the hash of each archive that was built', () => {
  const hashes = new Map([
    ['darwin-arm64', 'aa'],
    ['linux-x64', 'bb'],
  ]);
  const formula = formatFormula({ version: VERSION, url: 'https://example.org/v', hashes });
  expect(formula).toContain(`url "https://example.org/v/aish-${VERSION}-darwin-arm64.tar.gz"\n      sha256 "aa"`);
  expect(formula).toContain(`url "https://example.org/v/aish-${VERSION}-linux-x64.tar.gz"\n      sha256 "bb"`);
  expect(formula).not.toContain('linux-arm64');
});
