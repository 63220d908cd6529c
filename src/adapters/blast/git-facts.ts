import { AishError } from '../../protocol/error.ts';
import { disarmFilters, readFilters } from '../git/filters.ts';
import { type GitOutcome, runGit } from '../git/git-process.ts';
import type { GitFacts } from './tally.ts';

/** A repository that is asked, with nothing of its own being started. */
export class GitReader {
  readonly #root: string;
  readonly #signal: AbortSignal;
  #filters: Promise<readonly string[]> | null = null;

  constructor(root: string, signal: AbortSignal) {
    this.#root = root;
    this.#signal = signal;
  }

  /** What git prints; null where it fails or is out of time. */
  async read(
    args: readonly string[],
    { cwd = this.#root, patterns = false }: { readonly cwd?: string; readonly patterns?: boolean } = {},
  ): Promise<GitOutcome | null> {
    try {
      this.#filters ??= readFilters({ cwd: this.#root, signal: this.#signal }, { ownOnly: false });
      const settings = disarmFilters(await this.#filters, { required: false });
      const env: Record<string, string> = patterns ? { GIT_LITERAL_PATHSPECS: '0' } : {};
      return await runGit({ cwd, args: [...settings, ...args], env, signal: this.#signal });
    } catch (thrown) {
      if (thrown instanceof AishError) return null;
      throw thrown;
    }
  }

  /** What git knows of the files below some paths, or of all of them; null where it cannot say in time. */
  async facts(paths: readonly string[]): Promise<GitFacts | null> {
    const outcome = await this.read([
      'status',
      '--porcelain=v1',
      '-z',
      '--no-renames',
      '--untracked-files=all',
      '--ignored=matching',
      '--ignore-submodules=all',
      ...(paths.length === 0 ? [] : ['--', ...paths]),
    ]);
    return outcome === null || outcome.exit !== 0 ? null : readStatus(outcome.stdout.toString('utf8'), this.#root);
  }
}

function readStatus(text: string, root: string): GitFacts {
  const facts = { modified: [] as string[], untracked: [] as string[], ignored: [] as string[] };
  for (const line of text.split('\0')) {
    if (line.length < 4) continue;
    const path = `${root}/${line.slice(3)}`;
    if (line.startsWith('??')) facts.untracked.push(path);
    else if (line.startsWith('!!')) facts.ignored.push(path);
    else facts.modified.push(path);
  }
  return facts;
}
