import { join } from 'node:path';
import { isJsonObject, parseJsonObject } from '../../protocol/json.ts';
import { readStatus, readText } from '../system/file-status.ts';
import { Remembered } from './remembered.ts';

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

const NOTHING: Known = { calls: new Set(), stamp: '' };

/**
 * Calls that a project or a user defined themselves: targets of a Makefile or justfile, scripts of a package, aliases of git. They are read
 * in the background, and again when one of the files changed. Nothing in them is run.
 */
export class KnownCalls {
  readonly #projects: Remembered<Known>;

  constructor(home: string) {
    this.#projects = new Remembered((cwd, before) => readProject(cwd, home, before));
  }

  /** Counts up whenever other calls are known than before. */
  get news(): number {
    return this.#projects.news;
  }

  /** True when `words`, such as `make love` or `git recent`, is known to be a call that is defined here. */
  has(words: string, cwd: string): boolean {
    return this.#projects.get(cwd, NOTHING).calls.has(words);
  }

  /** The words that may follow `words`, such as the targets behind `make`. */
  async follow(words: string, cwd: string): Promise<readonly string[]> {
    this.#projects.get(cwd, NOTHING);
    await this.#projects.settled();
    const begin = `${words} `;
    const { calls } = this.#projects.get(cwd, NOTHING);
    return [...calls].filter((call) => call.startsWith(begin)).map((call) => call.slice(begin.length));
  }

  /** A command may have changed the definitions. */
  expire(): void {
    this.#projects.expire();
  }

  /** Settles when all reads for the queries so far are done; null when none is running. */
  settled(): Promise<unknown> | null {
    return this.#projects.settled();
  }
}

async function readProject(cwd: string, home: string, before: Known | undefined): Promise<Known> {
  const paths = SOURCES.map((source) => source.path(cwd, home));
  const stamp = (await Promise.all(paths.map(stampOf))).join(' ');
  if (stamp === before?.stamp) return before;
  const texts = await Promise.all(paths.map(readSmall));
  return { calls: new Set(SOURCES.flatMap((source, at) => source.read(texts[at] ?? ''))), stamp };
}

function inFolder(name: string, read: Source['read']): Source {
  return { path: (cwd) => join(cwd, name), read };
}

async function stampOf(path: string): Promise<string> {
  try {
    const found = await readStatus(path);
    return found.isFile() ? `${found.size}:${found.mtimeMs}` : '-';
  } catch {
    return '-';
  }
}

async function readSmall(path: string): Promise<string> {
  try {
    const found = await readStatus(path);
    return found.isFile() && found.size <= LARGEST_FILE ? await readText(path) : '';
  } catch {
    return '';
  }
}

function readMakeTargets(text: string): readonly string[] {
  const rules = text.matchAll(/^([^\s#:=.][^#:=\n]*):(?!=)/gm);
  return [...rules].flatMap(([, names = '']) => names.trim().split(/\s+/)).map((name) => `make ${name}`);
}

function readJustRecipes(text: string): readonly string[] {
  return [...text.matchAll(/^@?([A-Za-z_][\w-]*)(?![\w-])[^\n:=]*:(?!=)/gm)].map(([, name]) => `just ${name}`);
}

function readScripts(text: string): readonly string[] {
  const scripts = parseScripts(text);
  return scripts.flatMap((name) =>
    ['npm run', 'yarn', 'yarn run', 'pnpm', 'pnpm run', 'bun run'].map((runner) => `${runner} ${name}`),
  );
}

function parseScripts(text: string): readonly string[] {
  const scripts = parseJsonObject(text)?.scripts;
  return isJsonObject(scripts) ? Object.keys(scripts) : [];
}

function readGitAliases(text: string): readonly string[] {
  const sections = text.matchAll(/^\s*\[alias\]([^[]*)/gim);
  const names = [...sections].flatMap(([, body = '']) => [...body.matchAll(/^\s*([A-Za-z][\w-]*)\s*=/gm)]);
  return names.map(([, name]) => `git ${name}`);
}
