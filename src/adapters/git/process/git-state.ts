import { open, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { disarmFilters, readFilters, runGit } from './git-process.ts';

/** A repository as a prompt shows it. */
export interface GitState {
  /** Folder of the work tree. */
  readonly root: string;
  /** Name of the branch; the first digits of the commit where there is none. */
  readonly branch: string;
  /** The operation that git is in the middle of, such as a merge. */
  readonly operation: string | null;
  /** Null until it is known. */
  readonly work: WorkState | null;
}

/** The differences between the work tree, the index, the commit and the upstream branch. */
export interface WorkState {
  readonly isStaged: boolean;
  readonly isChanged: boolean;
  readonly isUntracked: boolean;
  readonly isConflicted: boolean;
  readonly ahead: number;
  readonly behind: number;
}

/** git's own small files are shorter by far. */
const LONGEST_FILE = 4096;
/** More output says nothing new. */
const MOST_OUTPUT = 1024 * 1024;
const COMMIT_DIGITS = 8;

/** Files in the git directory while an operation is unfinished. */
const OPERATIONS = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
] as const;

/** Reads the branch and the unfinished operation from files, without git; null if there is no repository. */
export async function readBranch(cwd: string): Promise<GitState | null> {
  for (let root = cwd; ; root = dirname(root)) {
    const folder = await findGitFolder(root);
    if (folder !== null) return await readFolder(root, folder);
    if (root === dirname(root)) return null;
  }
}

/**
 * Asks git for the state of the work tree; null if git does not tell. No program that the repository names runs: no hook, no monitor, no
 * filter of its own, and nothing of its submodules.
 */
export async function readWorkState(cwd: string, signal: AbortSignal): Promise<WorkState | null> {
  const place = { cwd, signal, yields: true };
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    const filters = disarmFilters(await readFilters(place, { ownOnly: true }), { required: false });
    const status = 'status --porcelain=v2 --branch -z --untracked-files=normal --ignore-submodules=all'.split(' ');
    const { exit } = await runGit({
      ...place,
      args: [...filters, ...status],
      onOutput: (chunk) => {
        if (size < MOST_OUTPUT) chunks.push(chunk);
        size += chunk.length;
      },
    });
    return exit === 0 ? parseStatus(Buffer.concat(chunks).toString('latin1')) : null;
  } catch {
    return null;
  }
}

function parseStatus(output: string): WorkState {
  const records = output.split('\0');
  const [, ahead = '0', behind = '0'] = /^# branch\.ab \+(\d+) -(\d+)$/.exec(records.find(isAheadBehind) ?? '') ?? [];
  const changes = records.filter((record) => /^[12] /.test(record));
  return {
    isStaged: changes.some((record) => record[2] !== '.'),
    isChanged: changes.some((record) => record[3] !== '.'),
    isUntracked: records.some((record) => record.startsWith('? ')),
    isConflicted: records.some((record) => record.startsWith('u ')),
    ahead: Number(ahead),
    behind: Number(behind),
  };
}

function isAheadBehind(record: string): boolean {
  return record.startsWith('# branch.ab ');
}

/** The git directory of a work tree: `.git` itself, or where the file of that name leads. */
async function findGitFolder(root: string): Promise<string | null> {
  const path = join(root, '.git');
  const found = await stat(path).catch(() => null);
  if (found === null) return null;
  if (found.isDirectory()) return path;
  const leads = /^gitdir: (.+)$/m.exec((await readSmall(path)) ?? '')?.[1];
  return leads === undefined ? null : resolve(root, leads);
}

async function readFolder(root: string, folder: string): Promise<GitState | null> {
  const head = (await readSmall(join(folder, 'HEAD')))?.trim();
  // If a repository keeps its refs in tables, the file does not tell.
  if (head === undefined || head === '' || head.endsWith('/.invalid')) return null;
  const branch = head.startsWith('ref: ') ? head.slice(5).replace(/^refs\/heads\//, '') : head.slice(0, COMMIT_DIGITS);
  const found = await Promise.all(OPERATIONS.map(([file]) => stat(join(folder, file)).catch(() => null)));
  const operation = OPERATIONS[found.findIndex((entry) => entry !== null)]?.[1] ?? null;
  return { root, branch, operation, work: null };
}

/** The text of a file; null for all but a small regular file, since a pipe could be waited for without end. */
async function readSmall(path: string): Promise<string | null> {
  try {
    const found = await stat(path);
    if (!found.isFile() || found.size > LONGEST_FILE) return null;
    await using file = await open(path);
    return await file.readFile('utf8');
  } catch {
    return null;
  }
}
