/* The packages of providers: those that aish knows, their installation, and the check before their code is loaded. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, parseJsonObject } from '../../protocol/json.ts';
import { definedOf, type Environment, toPaths } from '../config/paths.ts';
import { toCurrentPath } from '../system/own-program.ts';
import {
  providerChanged,
  providerDamaged,
  providerMissing,
  providerNotInstalled,
  providerUnpinned,
} from './messages-providers.ts';

/** A provider package that aish knows, with the only code of it that aish runs. */
interface KnownProvider {
  /** For `provider` and `PROVIDER:MODEL`. */
  readonly name: string;
  readonly title: string;
  readonly package: string;
  readonly version: string;
  /** The integrity of the package in the registry. */
  readonly integrity: string;
  /** The versions of all that it depends on. */
  readonly dependencies: readonly string[];
  /** The path inside the package, if it is not the main one. */
  readonly entry?: string;
  /** The SHA-256 of the package and its dependencies as one file, as Bun of this aish makes it. */
  readonly code: string;
}

const SHARED = [
  '@ai-sdk/provider-utils@4.0.56',
  '@ai-sdk/provider@3.0.18',
  '@standard-schema/spec@1.1.0',
  'eventsource-parser@3.1.1',
  'json-schema@0.4.0',
  'undici@6.29.1',
  'zod@4.6.7',
];

/**
 * The provider packages that hold what aish promises: every request goes through the connection of aish, and the package never sees the key.
 * Their versions speak the same language-model specification as the packages that are compiled in. `test/e2e/provider-packages.test.ts` with
 * `AISH_TEST_REGISTRY=1` compares the pins with the registry.
 */
export const KNOWN_PROVIDERS: readonly KnownProvider[] = [
  {
    name: 'bedrock',
    title: 'Amazon Bedrock',
    package: '@ai-sdk/amazon-bedrock',
    version: '4.0.186',
    integrity: 'sha512-pWpytUVuT0YOEY70xD6IDO0UiL2KZelZZ27p6wxySfBdQlL1RUwhL0+RAt/0KGYds/QKrBxml43A0bwpjoulOA==',
    dependencies: [
      ...SHARED,
      '@ai-sdk/anthropic@3.0.125',
      '@ai-sdk/openai@3.0.120',
      '@smithy/core@3.41.1',
      '@smithy/eventstream-codec@4.5.2',
      '@smithy/types@4.20.0',
      '@smithy/util-utf8@4.5.2',
      'aws4fetch@1.0.20',
      'tslib@2.9.1',
    ],
    code: '66a54596cf6f10f63b8c014afd7e2999cad23bf95488f07ffe7de63916c55e74',
  },
  {
    name: 'cohere',
    title: 'Cohere',
    package: '@ai-sdk/cohere',
    version: '3.0.63',
    integrity: 'sha512-dC86EbfYCjL6XtCfdvOrMmXnnSzN0bkUBEwmxGkIDZBqK67noP7u7LtnSqDNY0XkYa0udBsIHqtOrliYYBs+sw==',
    dependencies: [...SHARED.slice(2), '@ai-sdk/provider-utils@4.0.53', '@ai-sdk/provider@3.0.17'],
    code: '3fb5845b2ccaeecaf1663f80614edb00d2ac533ded5a1cff7a98490a808b0fe8',
  },
  {
    name: 'vertex',
    title: 'Google Vertex AI',
    package: '@ai-sdk/google-vertex',
    version: '4.0.208',
    integrity: 'sha512-RFNFU39VPqvDWr9H7O+0gkYH/WRCUQhhbulbn764uDewF1yMxYVG+UBxpf5f1J2YEw5BqjQiDIHby4VIHwLNPQ==',
    dependencies: [
      ...SHARED,
      '@ai-sdk/anthropic@3.0.125',
      '@ai-sdk/google@3.0.129',
      '@ai-sdk/openai-compatible@2.0.80',
    ],
    // The main path brings google-auth-library, which opens connections of its own.
    entry: 'edge',
    code: '37262bcb7c1abdda9f029e629d37340a833ee98f15d61e8fd9e8f52285fc691a',
  },
];

/** The known provider of this name. */
export function knownProvider(name: string): KnownProvider | undefined {
  return KNOWN_PROVIDERS.find((one) => one.name === name);
}

/** The version of the language-model specification of the AI SDK that aish speaks. */
export const SPECIFICATION = 'v3';

/** The code of a provider as one file, and the pin that was valid when it was added. */
const CODE_FILE = 'provider.js';
const PIN_FILE = 'provider.json';

/** A provider package as it was added. */
export interface AddedProvider {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly integrity: string;
  /** The SHA-256 of the code. */
  readonly code: string;
  /** When it was added, in milliseconds since the epoch. */
  readonly at: number;
}

/** The folder of all provider packages. */
export function packagesFolder(env: Environment): string {
  return join(toPaths(env).state, 'providers');
}

/** The providers that were added, by name. */
export function listAdded(folder: string): readonly AddedProvider[] {
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names.flatMap((name) => readPin(folder, name) ?? []);
}

/** Removes a provider; false if there is none of this name. */
export function removeProvider(folder: string, name: string): boolean {
  if (readPin(folder, name) === null) return false;
  rmSync(join(folder, name), { recursive: true, force: true });
  return true;
}

/** Makes the folder of all providers, which only the user can open. */
function makePackagesFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

/** Imports the code of a provider, if it is still the code that its pin names: the pin of aish for a known provider. */
export async function importProvider(folder: string, name: string): Promise<Readonly<Record<string, unknown>>> {
  const added = readPin(folder, name);
  if (added === null)
    throw providerMissing(
      name,
      knownProvider(name) !== undefined,
      KNOWN_PROVIDERS.map((one) => one.name),
    );
  const path = join(folder, name, CODE_FILE);
  const wanted = knownProvider(name)?.code ?? added.code;
  if (hashOf(existsSync(path) ? readFileSync(path) : '') !== wanted) throw providerChanged(added, path);
  const module: unknown = await import(pathToFileURL(path).href);
  if (typeof module !== 'object' || module === null) throw providerDamaged(name, SPECIFICATION);
  return Object.fromEntries(Object.entries(module));
}

/** The SHA-256 of some code. */
function hashOf(code: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(code).digest('hex');
}

function readPin(folder: string, name: string): AddedProvider | null {
  if (!/^[\w-]+$/.test(name)) return null;
  const path = join(folder, name, PIN_FILE);
  const pin = existsSync(path) ? parseJsonObject(readFileSync(path, 'utf8')) : null;
  if (!isJsonObject(pin)) return null;
  const { package: from, version, integrity, code, at } = pin;
  if (typeof from !== 'string' || typeof version !== 'string' || typeof integrity !== 'string') return null;
  return typeof code === 'string' && typeof at === 'number'
    ? { name, package: from, version, integrity, code, at }
    : null;
}

/** A package with its pin. `code` and the versions of its dependencies are known for the packages of aish's own table only. */
export type PackagePin = Pick<KnownProvider, 'package' | 'version' | 'integrity'> &
  Partial<Pick<KnownProvider, 'dependencies' | 'entry' | 'code'>>;

/** An older release of zod inside of zod, of which the packages that aish knows read one name, for schemas that none of them has. */
const UNUSED_MODULE = 'node_modules/zod/v3/index.js';

/** Bun loads a file that begins so as it is. */
const NEEDS_NO_TRANSPILER = '// @bun\n';

/** An added provider with the size of its code in bytes. */
type InstalledProvider = AddedProvider & { readonly bytes: number };

/**
 * Fetches a provider package, checks it against its pin and makes one file of it. Bun inside of aish does both, so that no npm is needed;
 * no script of a package runs. Nothing is left behind if it fails.
 */
export async function installProvider(
  folder: string,
  name: string,
  pin: PackagePin,
  { env, now }: { readonly env: Environment; readonly now: number },
): Promise<InstalledProvider> {
  makePackagesFolder(folder);
  const work = mkdtempSync(join(folder, '.add-'));
  try {
    writeFileSync(join(work, 'package.json'), JSON.stringify(toManifest(pin)));
    await runBun(['install', '--ignore-scripts', '--no-progress'], work, pin, env);
    const integrity = lockedIntegrity(join(work, 'bun.lock'), pin);
    if (integrity !== pin.integrity) throw providerUnpinned(pin, 'integrity', integrity);
    if (pin.code !== undefined) writeFileSync(join(work, UNUSED_MODULE), 'export const ZodFirstPartyTypeKind = {};\n');
    const from = pin.entry === undefined ? pin.package : `${pin.package}/${pin.entry}`;
    writeFileSync(join(work, 'entry.mjs'), `export * from ${JSON.stringify(from)};\n`);
    // For a browser, packages bring less code, and none that opens connections past the fetch of aish. It loads in two thirds of the time.
    await runBun(['build', 'entry.mjs', '--target=browser', '--minify', '--outdir=out'], work, pin, env);
    const built = join(work, 'out', 'entry.js');
    writeFileSync(built, `${NEEDS_NO_TRANSPILER}${readFileSync(built, 'utf8')}`);
    const code = hashOf(readFileSync(built));
    if (pin.code !== undefined && pin.code !== code) throw providerUnpinned(pin, 'code', code);
    const added = { name, package: pin.package, version: pin.version, integrity, code, at: now };
    const bytes = statSync(built).size;
    renameSync(built, join(work, 'out', CODE_FILE));
    writeFileSync(join(work, 'out', PIN_FILE), `${JSON.stringify(added, null, 2)}\n`, { mode: 0o600 });
    rmSync(join(folder, name), { recursive: true, force: true });
    renameSync(join(work, 'out'), join(folder, name));
    return { ...added, bytes };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function toManifest({ package: name, version, dependencies = [] }: PackagePin) {
  const overrides = dependencies.map((one) => [
    one.slice(0, one.lastIndexOf('@')),
    one.slice(one.lastIndexOf('@') + 1),
  ]);
  return {
    name: 'aish-provider',
    private: true,
    dependencies: { [name]: version },
    overrides: Object.fromEntries(overrides),
  };
}

/** The integrity that Bun checked the package against, as the lock file has it. */
function lockedIntegrity(path: string, { package: name, version }: PackagePin): string {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const line = lines.find((one) => one.trimStart().startsWith(`${JSON.stringify(name)}: ["${name}@${version}"`)) ?? '';
  return /"(sha\d+-[A-Za-z0-9+/=]+)"\],?$/.exec(line.trimEnd())?.[1] ?? '';
}

async function runBun(args: readonly string[], work: string, pin: PackagePin, env: Environment): Promise<void> {
  const child = Bun.spawn([toCurrentPath(process.execPath), ...args], {
    cwd: work,
    // The cache of Bun is in the home directory otherwise.
    env: { ...definedOf(env), BUN_BE_BUN: '1', BUN_INSTALL_CACHE_DIR: join(work, 'cache') },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [out, error, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (status !== 0) throw providerNotInstalled(pin, lastFault(`${out}\n${error}`));
}

/** The line of Bun's output that names the fault. */
function lastFault(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return (
    lines
      .find((line) => line.startsWith('error:'))
      ?.slice(6)
      .trim() ??
    lines.at(-1) ??
    ''
  );
}
