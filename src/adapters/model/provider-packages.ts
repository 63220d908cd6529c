import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isJsonObject, parseJsonObject } from '../../protocol/json.ts';
import { type Environment, toPaths } from '../config/paths.ts';
import { KNOWN_PROVIDERS, knownProvider } from './known-providers.ts';
import { providerChanged, providerDamaged, providerMissing } from './messages-providers.ts';

/** The version of the language-model specification of the AI SDK that aish speaks. */
export const SPECIFICATION = 'v3';

/** The code of a provider as one file, and the pin that was valid when it was added. */
export const CODE_FILE = 'provider.js';
export const PIN_FILE = 'provider.json';

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
export function makePackagesFolder(folder: string): void {
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
export function hashOf(code: string | Uint8Array): string {
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
