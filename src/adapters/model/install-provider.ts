import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definedOf, type Environment } from '../config/paths.ts';
import { toCurrentPath } from '../system/own-program.ts';
import { providerNotInstalled, providerUnpinned } from './messages-providers.ts';
import {
  type AddedProvider,
  CODE_FILE,
  hashOf,
  type KnownProvider,
  makePackagesFolder,
  PIN_FILE,
} from './provider-packages.ts';

/** A package with its pin. `code` and the versions of its dependencies are known for the packages of aish's own table only. */
export type PackagePin = Pick<KnownProvider, 'package' | 'version' | 'integrity'> &
  Partial<Pick<KnownProvider, 'dependencies' | 'entry' | 'code'>>;

/** An older release of zod inside of zod, of which the packages that aish knows read one name, for schemas that none of them has. */
const UNUSED_MODULE = 'node_modules/zod/v3/index.js';

/** Bun loads a file that begins so as it is. */
const NEEDS_NO_TRANSPILER = '// @bun\n';

/** An added provider with the size of its code in bytes. */
export type InstalledProvider = AddedProvider & { readonly bytes: number };

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
