import type { Candidate } from '../../core/completion/completion.ts';

/** A repository too large to tell within this tells nothing. */
const LIMIT_MS = 250;
const MOST_FILES = 2000;

/** Letters that `git ls-files -t` puts before names. */
const STATES: Readonly<Record<string, string>> = { C: 'modified', R: 'deleted', '?': 'untracked', M: 'unmerged' };

/** Files from a folder on that differ from what git has of them. What a repository names as its own monitor is not run. */
export async function listChangedFiles(
  cwd: string,
  { untracked, env }: { readonly untracked: boolean; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<readonly Candidate[]> {
  const others = untracked ? ['-o', '--exclude-standard', '--directory', '--no-empty-directory'] : [];
  try {
    const git = Bun.spawn(
      ['git', '-c', 'core.fsmonitor=false', '--no-optional-locks', 'ls-files', '-z', '-t', '-m', '-d', ...others],
      { cwd, env: { ...env }, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore', timeout: LIMIT_MS },
    );
    const output = await new Response(git.stdout).text();
    return (await git.exited) === 0 ? toCandidates(output) : [];
  } catch {
    // No git, or no such folder: there is nothing to offer.
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
