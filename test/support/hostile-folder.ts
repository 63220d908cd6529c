import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { isJsonObject } from '../../src/protocol/json.ts';

const ROOT = resolve(import.meta.dir, '../..');

/** Names of packages that the program may import, and some that a runtime looks for by itself. */
const PACKAGES = [...packagesOf('dependencies'), ...packagesOf('devDependencies'), 'bun', 'node', 'fs', 'react'];

function packagesOf(key: string): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const found = isJsonObject(manifest) ? manifest[key] : null;
  return isJsonObject(found) ? Object.keys(found) : [];
}

/** When a file was read that nobody has read. */
const NEVER = new Date(0);

function wasRead(path: string): boolean {
  return statSync(path).atimeMs !== NEVER.getTime();
}

/** The files of a project that aish itself reads, for the secrets in them. */
const READ_BY_AISH = /^\.(env(\..*)?|npmrc)$/;

/** A folder whose files would all run code in a runtime that obeys them; each says so by its name in one file. */
export class HostileFolder {
  /** The folder in which to start a program: it holds such files, and so do those above it. */
  readonly path: string;
  readonly #trace: string;
  readonly #top: string;
  readonly #files: readonly string[];

  /** Bun obeys `jsconfig.json` only where there is no `tsconfig.json`. */
  constructor(root: string, options: { readonly tsconfig: boolean } = { tsconfig: true }) {
    this.#trace = join(root, 'ran');
    this.#top = join(root, 'hostile');
    this.path = join(root, 'hostile/sub/deep');
    for (const folder of ['hostile', 'hostile/sub', 'hostile/sub/deep']) this.#fill(join(root, folder), options);
    const files = readdirSync(this.#top, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    this.#files = files
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !READ_BY_AISH.test(basename(path)));
    const probe = join(root, 'probe');
    writeFileSync(probe, 'probe');
    for (const path of [probe, ...this.#files]) utimesSync(path, NEVER, new Date());
    readFileSync(probe);
    if (!wasRead(probe)) throw new Error(`${root} does not keep when a file was read: set TMPDIR to one that does`);
  }

  /** Which of the files a program has read, but for those that aish reads itself for their secrets. */
  get read(): readonly string[] {
    return this.#files.filter(wasRead).map((path) => relative(this.#top, path));
  }

  /** Which of the files ran something. */
  get ran(): readonly string[] {
    return existsSync(this.#trace) ? [...new Set(readFileSync(this.#trace, 'utf8').trim().split('\n'))].sort() : [];
  }

  #fill(folder: string, { tsconfig }: { readonly tsconfig: boolean }): void {
    mkdirSync(folder, { recursive: true });
    const canary = (name: string): string => {
      const code = `require('node:fs').appendFileSync(${JSON.stringify(this.#trace)}, ${JSON.stringify(`${name}\n`)});\n`;
      writeFileSync(join(folder, `${name}.cjs`), code);
      return `./${name}.cjs`;
    };
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
    const paths = (name: string): string =>
      JSON.stringify({ compilerOptions: { baseUrl: '.', paths: { '*': [canary(name)] }, jsxImportSource: 'react' } });
    if (tsconfig) write('tsconfig.json', paths('tsconfig'));
    write('jsconfig.json', paths('jsconfig'));
    const bunfig = `preload = ["${canary('bunfig')}"]\n[run]\nbun = true\n[define]\n"process.env.HOME" = "'/nowhere'"\n`;
    for (const name of ['bunfig.toml', '.bunfig.toml']) write(name, bunfig);
    const variables = `BUN_OPTIONS=--preload=${canary('env')}\nNODE_OPTIONS=--require=./env.cjs\nBUN_INSPECT_PRELOAD=./env.cjs\nOF_PROJECT=1\n`;
    for (const name of ['.env', '.env.local', '.env.development', '.env.production']) write(name, variables);
    const main = canary('package');
    const imports = Object.fromEntries(['*', ...PACKAGES].map((name) => [`#${name}`, main]));
    const exported = Object.fromEntries(PACKAGES.map((name) => [name, main]));
    write(
      'package.json',
      JSON.stringify({ name: 'aish', main, imports, browser: exported, workspaces: ['*'], bun: { preload: main } }),
    );
    write('.npmrc', 'registry=http://127.0.0.1:9/\n');
    write('bun.lock', '{ "lockfileVersion": 1, "workspaces": {}, "packages": {} }\n');
    canary('modules');
    for (const name of PACKAGES) {
      mkdirSync(join(folder, 'node_modules', name), { recursive: true });
      write(`node_modules/${name}/index.js`, readFileSync(join(folder, 'modules.cjs'), 'utf8'));
    }
    for (const name of ['preload', 'index', 'main', 'server'])
      write(`${name}.ts`, readFileSync(join(folder, 'modules.cjs'), 'utf8'));
  }
}
