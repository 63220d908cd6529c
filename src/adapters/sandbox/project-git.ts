import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isSecretFileName } from '../../core/commands/protected-files.ts';
import { AishError } from '../../protocol/error.ts';
import { runGit } from '../git/process/git-process.ts';
import { readGitLink, readRegular } from '../system/file-status.ts';

/** Files with credentials that a repository holds or has held, by their paths; null where it is too large to be gone through in time. */
export interface HistoryNames {
  /** In the trees of branches, tags, stashes and reflogs, and in the index. */
  readonly ever: readonly string[] | null;
  /** In the index alone. */
  readonly now: readonly string[] | null;
  /** In aish's own checkpoints. */
  readonly checkpoints: readonly string[] | null;
  readonly hasCheckpoints: boolean;
}

/** So long a repository is gone through. One that takes longer counts as one that holds credentials, or objects that nothing leads to. */
const PATIENCE_MS = 3000;
const MOST_NAMES = 200;
const CHECKPOINTS = 'refs/aish/';

const WHOLE: readonly string[] = [`--exclude=${CHECKPOINTS}*`, '--all', '--reflog'];
/** A tree that lies in two places is compared in both, which a list of objects is not. */
const NAMES = 'log -z --format= --name-only -c --no-renames --no-relative --no-ext-diff --ignore-submodules=none'.split(
  ' ',
);
const NOTHING: HistoryNames = { ever: [], now: [], checkpoints: [], hasCheckpoints: false };
/** Stands for a repository that git does not look through in time. */
const UNKNOWN: HistoryNames = { ever: null, now: null, checkpoints: null, hasCheckpoints: true };

/** Knows which files with credentials lie in the history of repositories, until their refs change. */
export class HistoryNameFinder {
  readonly #known = new Map<string, { readonly state: string; readonly names: HistoryNames }>();

  /** The names of files that a repository has held until now. */
  async find(project: string): Promise<HistoryNames> {
    try {
      return await this.#look(project);
    } catch (thrown) {
      if (thrown instanceof AishError) return UNKNOWN;
      throw thrown;
    }
  }

  async #look(project: string): Promise<HistoryNames> {
    const refs = await read(project, ['for-each-ref', '--format=%(objectname) %(refname)']);
    // If git takes the folder for no repository, it prints nothing.
    if (refs === null) return NOTHING;
    const head = await read(project, ['rev-parse', '--verify', '-q', 'HEAD']);
    const index = (await read(project, ['ls-files', '-z', '--full-name'])) ?? '';
    const state = [refs, head, Bun.hash(index)].join('\n');
    const known = this.#known.get(project);
    if (known?.state === state) return known.names;
    const hasCheckpoints = refs.includes(` ${CHECKPOINTS}`);
    const now = index.split('\0').filter(isSecretFileName);
    const past = await namesIn(project, WHOLE);
    const ever = past === null ? null : [...new Set([...past, ...now])];
    const checkpoints = hasCheckpoints ? await namesIn(project, [`--glob=${CHECKPOINTS}*`]) : [];
    const names = { ever, now, checkpoints, hasCheckpoints };
    this.#known.set(project, { state, names });
    return names;
  }
}

/** The output of git; null if it fails. Throws where it does not answer in time. */
async function read(cwd: string, args: readonly string[]): Promise<string | null> {
  const { exit, stdout } = await runGit({ cwd, args, signal: AbortSignal.timeout(PATIENCE_MS) });
  return exit === 0 ? stdout.toString('utf8') : null;
}

/** The files that commits added, changed or removed. */
async function namesIn(cwd: string, which: readonly string[]): Promise<readonly string[] | null> {
  const found = new Set<string>();
  const decoder = new TextDecoder();
  let rest = '';
  const onOutput = (chunk: Uint8Array): void => {
    const names = (rest + decoder.decode(chunk, { stream: true })).split(/[\0\n]/);
    rest = names.pop() ?? '';
    for (const name of names) if (found.size < MOST_NAMES && isSecretFileName(name)) found.add(name);
  };
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { exit } = await runGit({ cwd, args: ['-c', 'log.showRoot=true', ...NAMES, ...which], signal, onOutput });
    return exit === 0 && found.size < MOST_NAMES ? [...found] : null;
  } catch (thrown) {
    if (thrown instanceof AishError) return null;
    throw thrown;
  }
}

const VERSION_AT = 4;
/** From this version on, names are kept as differences from the one before. */
const COMPRESSED = 4;

/** Those of some files that git knows, or may know, by their path in the project: it would take one that it cannot read for changed. */
export function trackedAmong(project: string, files: readonly string[]): readonly string[] {
  const names = files.map((file) => relative(project, file)).filter((name) => !name.startsWith('..'));
  if (names.length === 0) return names;
  try {
    const index = readIndex(project);
    if (index === null) return [];
    return index.readUInt32BE(VERSION_AT) >= COMPRESSED ? names : names.filter((name) => index.includes(`${name}\0`));
  } catch {
    return names;
  }
}

/** Null for a repository that has none yet. A linked work tree has one of its own. */
function readIndex(project: string): Buffer | null {
  const git = join(project, '.git');
  const folder = statSync(git).isDirectory() ? git : (readGitLink(project) ?? git);
  if (statSync(join(folder, 'index'), { throwIfNoEntry: false }) === undefined) return null;
  return readRegular(join(folder, 'index'));
}

/**
 * True where a repository has objects that no ref, reflog or index leads to, or may have: all of them are looked at for `any`, else those
 * whose number begins as one of some does.
 */
export async function hasUnreachable(project: string, numbers: readonly string[] | 'any'): Promise<boolean> {
  const args = ['fsck', '--unreachable', '--connectivity-only', '--no-progress', '--no-dangling'];
  try {
    const { stdout } = await runGit({ cwd: project, args, signal: AbortSignal.timeout(PATIENCE_MS) });
    const found = [...stdout.toString('utf8').matchAll(/^unreachable \w+ ([0-9a-f]+)$/gm)].map(([, one = '']) => one);
    if (numbers === 'any') return found.length > 0;
    return numbers.some((number) => found.some((one) => one.startsWith(number.toLowerCase())));
  } catch (thrown) {
    if (thrown instanceof AishError) return true;
    throw thrown;
  }
}
