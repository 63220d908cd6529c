import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Candidate } from '../../core/completion/completion.ts';

/** What a repository has names for. */
export interface GitNames {
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
    if ((await kindOf(path)) === 'folder') return path;
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
  const entries = await tryList(folder);
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
  return [...config.matchAll(/^\s*\[remote "([^"]+)"\]([^[]*)/gm)].map(([, value = '', body = '']) => {
    const url = /^\s*url\s*=\s*(.+?)\s*$/m.exec(body)?.[1];
    return { value, description: url === undefined ? 'remote' : withoutSecret(url) };
  });
}

/** An address may hold a password. */
function withoutSecret(url: string): string {
  return url.replace(/^(\w+:\/\/)[^/@]*@/, '$1');
}

async function kindOf(path: string): Promise<'folder' | 'other' | null> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'other';
  } catch {
    return null;
  }
}

async function tryList(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Far above what a repository of many thousand names has. */
const LARGEST_READ = 16 * 1024 * 1024;

/** A repository that was unpacked may hold a pipe in place of a file, or a link to a device without an end. */
async function tryRead(path: string): Promise<string> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= LARGEST_READ ? await readFile(path, 'utf8') : '';
  } catch {
    return '';
  }
}
