import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../steps.ts';
import { run } from './run.ts';
import { TARGETS, type Target } from './targets.ts';

/** The data that all packages of a release share. */
export interface PackageDeps {
  readonly version: string;
  /** Third-party notices. */
  readonly notices: string;
  /** A folder for files that are only needed while packing. */
  readonly scratch: string;
  /** The folder of the finished files. */
  readonly out: string;
}

const SHARED = ['LICENSE', 'README.md', 'CHANGELOG.md'];

function describe(): string {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).description;
}

/** Packs the npm package `aish`: a launcher, the manual page, and one optional dependency for each platform. It has no install script. */
export function packLauncher(deps: PackageDeps): string {
  const folder = makeFolder(deps, 'aish');
  mkdirSync(join(folder, 'bin'));
  copyFileSync(join(ROOT, 'scripts/release/launcher'), join(folder, 'bin/aish'));
  chmodSync(join(folder, 'bin/aish'), 0o755);
  copyFileSync(join(ROOT, 'docs/aish.1'), join(folder, 'aish.1'));
  for (const name of SHARED) copyFileSync(join(ROOT, name), join(folder, name));
  return pack(folder, deps, describeLauncher(deps.version));
}

export function describeLauncher(version: string) {
  return {
    name: 'aish',
    description: describe(),
    bin: { aish: 'bin/aish' },
    // npm links the pages of a list, and ignores a single name.
    man: ['aish.1'],
    optionalDependencies: Object.fromEntries(TARGETS.map(({ name }) => [`@aish/${name}`, version])),
  };
}

/** Packs `@aish/PLATFORM`, which holds one executable. npm installs it only on its platform. */
export function packProgram({ name, os, cpu, libc }: Target, program: string, deps: PackageDeps): string {
  const folder = makeFolder(deps, name);
  copyFileSync(program, join(folder, 'aish'));
  chmodSync(join(folder, 'aish'), 0o755);
  writeFileSync(join(folder, 'NOTICES'), deps.notices);
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  return pack(folder, deps, {
    name: `@aish/${name}`,
    description: `The program of aish for ${name}`,
    os: [os],
    cpu: [cpu],
    ...(libc === undefined ? {} : { libc: [libc] }),
    preferUnplugged: true,
  });
}

function makeFolder({ scratch }: PackageDeps, name: string): string {
  const folder = join(scratch, 'npm', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Packs a folder, and returns the path of the file. npm gives all files one fixed time, so the same content gives the same bytes. */
function pack(folder: string, { version, out }: PackageDeps, description: Readonly<Record<string, unknown>>): string {
  const manifest = { ...description, version, license: 'MIT' };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const name = run(['npm', 'pack', '--silent', '--ignore-scripts', `--pack-destination=${out}`], {
    cwd: folder,
  }).trim();
  return join(out, name);
}
