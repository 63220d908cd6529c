import fs from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { type Candidate, compareNames } from '../../core/completion/completion.ts';
import { Remembered } from '../shell/remembered.ts';
import { isDirectory, isThere } from '../system/file-status.ts';

type Names = ReadonlySet<string>;

/** Branches and tags of the repository around a folder, hosts of ssh and containers, from memory: they are read behind the caller's back. */
export class KnownNames {
  /** The caches of the names. Each counts other names than before as news. */
  readonly sources: readonly Remembered<Names>[];
  readonly #home: string;
  readonly #none: Names = new Set();
  readonly #refs = new Remembered<Names>(async (cwd, before) => sameOr(before, await readRefs(cwd)));
  readonly #containers: Remembered<Names>;
  readonly #hosts = new Remembered<Names>(async (home, before) => sameOr(before, await listHosts(home)));

  constructor(home: string, env: Readonly<Record<string, string | undefined>> = {}) {
    this.#home = home;
    this.#containers = new Remembered<Names>(async (_, before) => sameOr(before, await listContainers(env)));
    this.sources = [this.#refs, this.#hosts, this.#containers];
  }

  /** Whether a branch or a tag has this name; one of a remote with or without the name of the remote. */
  hasRef(name: string, cwd: string): boolean {
    return this.#refs.get(cwd, this.#none).has(name);
  }

  hasHost(name: string): boolean {
    return this.#hosts.get(this.#home, this.#none).has(name);
  }

  hasContainer(name: string): boolean {
    return this.#containers.get('', this.#none).has(name);
  }

  /** A command may have changed what there is. */
  expire(): void {
    for (const source of this.sources) source.expire();
  }
}

async function readRefs(cwd: string): Promise<readonly string[]> {
  const { branches, remoteBranches, tags } = await readGitNames(cwd);
  const remote = remoteBranches.flatMap(({ value }) => [value, value.slice(value.indexOf('/') + 1)]);
  return [...branches.map(({ value }) => value), ...tags.map(({ value }) => value), ...remote];
}

/** The names known before where they are the same, so that nothing counts as news. */
function sameOr(before: Names | undefined, names: readonly string[]): Names {
  const found = new Set(names);
  const isSame = before?.size === found.size && names.every((name) => before.has(name));
  return isSame ? before : found;
}

/** Files included by included files, so deep; a file that includes itself ends there. */
const DEEPEST = 8;

/** Hosts the user has a name for: of the ssh configuration, known to ssh, and of this system. */
export async function listHosts(home: string): Promise<readonly string[]> {
  const folder = join(home, '.ssh');
  const found = await Promise.all([
    readConfiguration(join(folder, 'config'), { folder, home, depth: 0 }),
    readConfiguration('/etc/ssh/ssh_config', { folder: '/etc/ssh', home, depth: 0 }),
    tryRead(join(folder, 'known_hosts')).then(readKnownHosts),
    tryRead('/etc/ssh/ssh_known_hosts').then(readKnownHosts),
    tryRead('/etc/hosts').then(readHostsFile),
  ]);
  return [...new Set(found.flat())];
}

interface IncludeContext {
  /** Relative includes are looked for here. */
  readonly folder: string;
  readonly home: string;
  readonly depth: number;
}

async function readConfiguration(path: string, place: IncludeContext): Promise<readonly string[]> {
  if (place.depth > DEEPEST) return [];
  const text = await tryRead(path);
  const included = await Promise.all(readSshIncludes(text).map((pattern) => findIncluded(pattern, place)));
  const inner = included.flat().map((file) => readConfiguration(file, { ...place, depth: place.depth + 1 }));
  return [...readSshHosts(text), ...(await Promise.all(inner)).flat()];
}

async function findIncluded(pattern: string, { folder, home }: IncludeContext): Promise<readonly string[]> {
  const path = pattern.startsWith('~/') ? join(home, pattern.slice(2)) : pattern;
  const files = await expandGlob(path, folder);
  return files.map((file) => (isAbsolute(file) ? file : join(folder, file)));
}

/** Names of hosts in the text of an ssh configuration; patterns are none. */
export function readSshHosts(text: string): readonly string[] {
  return directives(text, /^(?:host)$/i).filter((name) => !/[*?!%]/.test(name));
}

/** The includes of an ssh configuration, as patterns. */
export function readSshIncludes(text: string): readonly string[] {
  return directives(text, /^include$/i);
}

/** Names in a known_hosts file that are not hashed. */
export function readKnownHosts(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !/^[#|\s]/.test(line))
    .map((line) => line.replace(/^@\S+\s+/, '').split(/\s/, 1)[0] ?? '')
    .flatMap((names) => names.split(','))
    .map((name) => name.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1'))
    .filter((name) => name !== '' && !/[*?!|]/.test(name));
}

/** Names in a hosts file, those aside that every machine gives itself. */
export function readHostsFile(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '')
    .flatMap((line) => line.split(/\s+/).slice(1))
    .filter((name) => !/^(?:ip6-.*|broadcasthost)$/.test(name));
}

function directives(text: string, name: RegExp): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const [, key = '', rest = ''] = /^\s*([A-Za-z]+)(?:\s+|\s*=\s*)(.*)$/.exec(line) ?? [];
    if (!name.test(key)) return [];
    return (rest.replace(/\s#.*$/s, '').match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"|"$/g, ''));
  });
}

interface GitNames {
  readonly branches: readonly Candidate[];
  readonly remoteBranches: readonly Candidate[];
  readonly tags: readonly Candidate[];
  readonly remotes: readonly Candidate[];
}

const MOST_REFS = 5000;

const NO_NAMES: GitNames = { branches: [], remoteBranches: [], tags: [], remotes: [] };

/** Reads the names of branches, tags and remotes from the files of the repository around a folder; git itself is not run. */
export async function readGitNames(cwd: string): Promise<GitNames> {
  const folder = await findGitFolder(cwd);
  if (folder === null) return NO_NAMES;
  const common = await commonFolder(folder);
  const [loose, packed, config, head] = await Promise.all([
    listLoose(join(common, 'refs'), 'refs'),
    tryRead(join(common, 'packed-refs')),
    tryRead(join(common, 'config')),
    tryRead(join(folder, 'HEAD')),
  ]);
  const packedRefs = [...packed.matchAll(/^[0-9a-f]{40,64} (refs\/\S+)$/gm)].map(([, ref = '']) => ref);
  const refs = [...new Set([...loose, ...packedRefs])].sort().slice(0, MOST_REFS);
  const current = /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];
  return {
    branches: named(refs, 'refs/heads/', (name) => (name === current ? 'current branch' : 'branch')),
    remoteBranches: named(refs, 'refs/remotes/', () => 'remote branch'),
    tags: named(refs, 'refs/tags/', () => 'tag'),
    remotes: readRemotes(config),
  };
}

/** The folder of a repository's own files, for worktrees and submodules that of theirs; null outside of any. */
async function findGitFolder(cwd: string): Promise<string | null> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, '.git');
    if (await isDirectory(path)) return path;
    const pointed = /^gitdir: (.+)$/m.exec(await tryRead(path))?.[1];
    if (pointed !== undefined) return isAbsolute(pointed) ? pointed : join(folder, pointed);
    if (folder === dirname(folder)) return null;
  }
}

/** Worktrees share names with the repository they belong to. */
async function commonFolder(folder: string): Promise<string> {
  const common = (await tryRead(join(folder, 'commondir'))).trim();
  if (common === '') return folder;
  return isAbsolute(common) ? common : join(folder, common);
}

async function listLoose(folder: string, name: string): Promise<readonly string[]> {
  const entries = await fs.promises.readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map((entry) =>
      entry.isDirectory() ? listLoose(join(folder, entry.name), `${name}/${entry.name}`) : [`${name}/${entry.name}`],
    ),
  );
  return found.flat();
}

function named(refs: readonly string[], begin: string, describe: (name: string) => string): readonly Candidate[] {
  return refs
    .filter((ref) => ref.startsWith(begin) && !ref.endsWith('/HEAD'))
    .map((ref) => ref.slice(begin.length))
    .map((value) => ({ value, description: describe(value) }));
}

function readRemotes(config: string): readonly Candidate[] {
  return [...config.matchAll(/^[ \t]*\[remote "([^"]+)"\]([^[]*)/gm)].map(([, value = '', body = '']) => {
    const url = /^[ \t]*url\s*=\s*(.+)$/m.exec(body)?.[1]?.trim();
    return { value, description: url === undefined ? 'remote' : withoutSecret(url) };
  });
}

/** An address may hold a password. */
function withoutSecret(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/@]*@/, '$1');
}

/** Far above what a repository of many thousand names has. */
const LARGEST_READ = 16 * 1024 * 1024;

/**
 * The text of a file, empty for what cannot be read: a repository that was unpacked may hold a pipe in place of a file, or a link to a device without an end.
 */
export async function tryRead(path: string): Promise<string> {
  try {
    const found = await fs.promises.stat(path);
    return found.isFile() && found.size <= LARGEST_READ ? await fs.promises.readFile(path, 'utf8') : '';
  } catch {
    return '';
  }
}

const GLOB = /[*?[]/;
/** Folders that one pattern may look into. */
const MOST_FOLDERS = 2000;

/** The paths that a pattern of a shell stands for, written as the pattern is: relative where it is. */
export async function expandGlob(pattern: string, cwd: string): Promise<readonly string[]> {
  const parts = pattern.split('/');
  let found: readonly string[] = [isAbsolute(pattern) ? '/' : ''];
  for (const part of isAbsolute(pattern) ? parts.slice(1) : parts) {
    if (part === '') continue;
    const steps = await Promise.all(found.slice(0, MOST_FOLDERS).map((folder) => step(folder, part, cwd)));
    found = steps.flat();
  }
  return found;
}

/** One part of the pattern below one folder. `**` is no more than `*`, as it is in bash until told otherwise. */
async function step(folder: string, part: string, cwd: string): Promise<readonly string[]> {
  if (!GLOB.test(part)) {
    const path = join(folder, part);
    return (await isThere(isAbsolute(path) ? path : join(cwd, path))) ? [path] : [];
  }
  const names = await listNames(isAbsolute(folder) ? folder : join(cwd, folder));
  const glob = new Bun.Glob(part.replace(/\*+/g, '*').replace(/[{}]/g, '\\$&'));
  return names
    .filter((name) => (part.startsWith('.') || !name.startsWith('.')) && glob.match(name))
    .sort(compareNames)
    .map((name) => join(folder, name));
}

async function listNames(folder: string): Promise<readonly string[]> {
  return (await fs.promises.readdir(folder).catch(() => [])).filter((name) => !name.includes('\ufffd'));
}

/** The sockets where docker and podman listen. A server elsewhere is not asked, because that takes too long for a prompt. */
export function containerSockets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { DOCKER_HOST, HOME = '/', XDG_RUNTIME_DIR } = env;
  const docker =
    DOCKER_HOST === undefined
      ? ['/var/run/docker.sock', join(HOME, '.docker/run/docker.sock'), ...within(XDG_RUNTIME_DIR, 'docker.sock')]
      : [/^unix:\/\/(.+)$/.exec(DOCKER_HOST)?.[1] ?? []].flat();
  return [...docker, '/run/podman/podman.sock', ...within(XDG_RUNTIME_DIR, 'podman/podman.sock')];
}

function within(folder: string | undefined, name: string): readonly string[] {
  return folder === undefined ? [] : [join(folder, name)];
}

/** Time for the list of containers; a line waits about as long. */
const CONTAINERS_MS = 300;

/** The names of all containers, the stopped ones among them. */
async function listContainers(env: Readonly<Record<string, string | undefined>>): Promise<readonly string[]> {
  const found = await Promise.all(
    containerSockets(env).map(async (unix) => {
      if (!(await isThere(unix))) return [];
      const signal = AbortSignal.timeout(CONTAINERS_MS);
      const listed: unknown = await fetch('http://localhost/containers/json?all=1', { unix, signal })
        .then((response) => response.json())
        .catch(() => []);
      return Array.isArray(listed) ? listed.flatMap(namesOf) : [];
    }),
  );
  return found.flat();
}

function namesOf(container: unknown): readonly string[] {
  const names = typeof container === 'object' && container !== null && 'Names' in container ? container.Names : [];
  return Array.isArray(names)
    ? names.flatMap((name) => (typeof name === 'string' ? [name.replace(/^\//, '')] : []))
    : [];
}
