import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../steps.ts';
import { run } from './run.ts';
import type { Target } from './targets.ts';

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
}

/** The version and the hash of a runtime package, both pinned. Throws if no hash is pinned. */
export function lockedRuntime({ runtime, integrity }: Pick<Target, 'runtime' | 'integrity'>): Required<LockedPackage> {
  const { packages }: { packages: Record<string, LockedPackage> } = JSON.parse(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  );
  const version = packages['node_modules/bun']?.version ?? '';
  const pinned = integrity ?? packages[`node_modules/@oven/${runtime}`]?.integrity;
  if (pinned === undefined) throw new Error(`no hash is pinned for @oven/${runtime}`);
  return { version, integrity: pinned };
}

/** Fetches the runtime of a platform from the npm registry into a folder, unless it is there, and returns its executable. Throws on another hash. */
export function fetchRuntime(target: Target, folder: string): string {
  const { version, integrity } = lockedRuntime(target);
  const place = join(folder, `${target.runtime}-${version}`);
  const program = join(place, 'package/bin/bun');
  if (existsSync(program)) return program;
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  run(['npm', 'pack', '--silent', `--pack-destination=${place}`, `@oven/${target.runtime}@${version}`], { cwd: place });
  const archive = join(place, `oven-${target.runtime}-${version}.tgz`);
  const hash = `sha512-${new Bun.CryptoHasher('sha512').update(readFileSync(archive)).digest('base64')}`;
  if (hash !== integrity) {
    rmSync(place, { recursive: true });
    throw new Error(`@oven/${target.runtime}@${version} has the hash ${hash}, but package-lock.json pins ${integrity}`);
  }
  run(['tar', '-xzf', archive, '-C', place]);
  rmSync(archive);
  return program;
}
