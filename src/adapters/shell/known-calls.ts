import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files larger than this are not looked into. */
const LARGEST_FILE = 1_000_000;

/** A file that names calls, and how they are read out of it. */
interface Source {
  readonly path: (cwd: string, home: string) => string;
  readonly read: (text: string) => readonly string[];
}

const SOURCES: readonly Source[] = [
  ...['GNUmakefile', 'makefile', 'Makefile'].map((name) => inFolder(name, readMakeTargets)),
  ...['justfile', 'Justfile', '.justfile'].map((name) => inFolder(name, readJustRecipes)),
  inFolder('package.json', readScripts),
  inFolder('.git/config', readGitAliases),
  { path: (_, home) => join(home, '.gitconfig'), read: readGitAliases },
  { path: (_, home) => join(home, '.config/git/config'), read: readGitAliases },
];

interface Known {
  readonly calls: ReadonlySet<string>;
  /** Sizes and times of the files they were read from. */
  readonly stamp: string;
}

/**
 * Calls that a project or a person defined themselves: targets of a Makefile or justfile, scripts of a package, aliases of git.
 * They are read again when one of the files changed. Nothing of what is read is run.
 */
export class KnownCalls {
  readonly #home: string;
  #cwd = '';
  #known: Known = { calls: new Set(), stamp: '' };

  constructor(home: string) {
    this.#home = home;
  }

  /** True when `words`, such as `make love` or `git recent`, is a call that is defined here. */
  has(words: string, cwd: string): boolean {
    const paths = SOURCES.map((source) => source.path(cwd, this.#home));
    const stamp = paths.map(stampOf).join(' ');
    if (cwd !== this.#cwd || stamp !== this.#known.stamp) {
      const calls = SOURCES.flatMap((source, at) => source.read(readSmall(paths[at] ?? '')));
      this.#known = { calls: new Set(calls), stamp };
      this.#cwd = cwd;
    }
    return this.#known.calls.has(words);
  }
}

function inFolder(name: string, read: Source['read']): Source {
  return { path: (cwd) => join(cwd, name), read };
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() ? `${stat.size}:${stat.mtimeMs}` : '-';
}

function readSmall(path: string): string {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= LARGEST_FILE ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function readMakeTargets(text: string): readonly string[] {
  const rules = text.matchAll(/^([^\s#:=.][^#:=\n]*):(?!=)/gm);
  return [...rules].flatMap(([, names = '']) => names.trim().split(/\s+/)).map((name) => `make ${name}`);
}

function readJustRecipes(text: string): readonly string[] {
  return [...text.matchAll(/^@?([A-Za-z_][\w-]*)(?:[^\n:=]*):(?!=)/gm)].map(([, name]) => `just ${name}`);
}

function readScripts(text: string): readonly string[] {
  const scripts = parseScripts(text);
  return scripts.flatMap((name) =>
    ['npm run', 'yarn', 'yarn run', 'pnpm', 'pnpm run', 'bun run'].map((runner) => `${runner} ${name}`),
  );
}

function parseScripts(text: string): readonly string[] {
  try {
    const manifest: unknown = JSON.parse(text);
    if (typeof manifest !== 'object' || manifest === null || !('scripts' in manifest)) return [];
    return typeof manifest.scripts === 'object' && manifest.scripts !== null ? Object.keys(manifest.scripts) : [];
  } catch {
    return [];
  }
}

function readGitAliases(text: string): readonly string[] {
  const sections = text.matchAll(/^\s*\[alias\]([^[]*)/gim);
  const names = [...sections].flatMap(([, body = '']) => [...body.matchAll(/^\s*([A-Za-z][\w-]*)\s*=/gm)]);
  return names.map(([, name]) => `git ${name}`);
}
