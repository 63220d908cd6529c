import { AishError } from '../../protocol/error.ts';
import { type GitCall, runGit } from './git-process.ts';

/** Names of the filters that are configured. With `ownOnly` just those that the repository itself brings. */
export async function readFilters(
  place: Omit<GitCall, 'args' | 'input'>,
  { ownOnly }: { readonly ownOnly: boolean },
): Promise<readonly string[]> {
  const args = ['config', '--show-scope', '-z', '--name-only', '--get-regexp', '^filter\\.'];
  const fields = (await runGit({ ...place, args })).stdout.toString('utf8').split('\0');
  const filters = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const filter = /^filter\.(.*)\.[^.]*$/s.exec(fields[at + 1] ?? '')?.[1];
    if (filter !== undefined && (!ownOnly || fields[at] === 'local' || fields[at] === 'worktree')) filters.add(filter);
  }
  return [...filters];
}

/** Settings for git that take the programs of filters away. Where they are required, git fails rather than go without. */
export function disarmFilters(
  filters: readonly string[],
  { required }: { readonly required: boolean },
): readonly string[] {
  return filters.flatMap((filter) => {
    if (filter.includes('='))
      throw new AishError('git.failed', `the repository configures a filter with the odd name "${filter}"`);
    const name = `filter.${filter}`;
    const settings = [`${name}.clean=`, `${name}.smudge=`, `${name}.process=`, `${name}.required=${required}`];
    return settings.flatMap((setting) => ['-c', setting]);
  });
}
