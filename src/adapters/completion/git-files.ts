import type { Candidate } from '../../core/completion/completion.ts';
import { disarmFilters, readFilters } from '../git/filters.ts';
import { runGit } from '../git/git-process.ts';

/** A repository too large to tell within this tells nothing. */
const LIMIT_MS = 250;
const MOST_FILES = 2000;

/** Letters that `git ls-files -t` puts before names. */
const STATES: Readonly<Record<string, string>> = { C: 'modified', R: 'deleted', '?': 'untracked', M: 'unmerged' };

/** Files from a folder on that differ from what git has of them. No program that the repository names is run. */
export async function listChangedFiles(
  cwd: string,
  { untracked, env }: { readonly untracked: boolean; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<readonly Candidate[]> {
  const { HOME, XDG_CONFIG_HOME } = env;
  const home = {
    ...(HOME === undefined ? {} : { HOME }),
    ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
  };
  const place = { cwd, env: home, signal: AbortSignal.timeout(LIMIT_MS) };
  const others = untracked ? ['-o', '--exclude-standard', '--directory', '--no-empty-directory'] : [];
  try {
    // Content that only a filter could tell from what is kept counts as changed then.
    const settings = disarmFilters(await readFilters(place, { ownOnly: false }), { required: false });
    const git = await runGit({ ...place, args: [...settings, 'ls-files', '-z', '-t', '-m', '-d', ...others] });
    return git.exit === 0 ? toCandidates(git.stdout.toString('utf8')) : [];
  } catch {
    // No git, no such folder, or too large a repository: there is nothing to offer.
    return [];
  }
}

/** What is deleted is listed as modified too; the first word counts. */
function toCandidates(output: string): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (const entry of output.split('\0')) {
    const value = entry.slice(2);
    const description = STATES[entry.charAt(0)] ?? 'changed';
    if (value === '' || (found.has(value) && description !== 'deleted')) continue;
    found.set(value, { value, description, ...(value.endsWith('/') ? { suffix: '' } : {}) });
  }
  return [...found.values()].slice(0, MOST_FILES);
}
