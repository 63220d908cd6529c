import type { BlastEffect, BlastKind } from '../../protocol/blast-radius.ts';

/** What is done to something, as people say it. */
export const EFFECT_VERBS: Readonly<Record<BlastKind, string>> = {
  deletes: 'delete',
  overwrites: 'overwrite',
  creates: 'create',
  moves: 'move',
  changes: 'change',
};

/** Why it is not known what something touches, as long as it is still counted. */
export const TAKES_LONGER = 'it takes longer to count';

/** So many files, and why no undo brings them back. */
export interface Lost {
  readonly count: number;
  readonly why: string;
  readonly noUndo: string;
}

/** What of an effect no checkpoint holds: what git ignores, what is too large, and what git itself lives on. */
export function lostOf({
  kind,
  ignored,
  large,
  repository,
}: Pick<BlastEffect, 'kind' | 'ignored' | 'large' | 'repository'>): readonly Lost[] {
  if (kind === 'creates') return [];
  const lost = (count: number | null | undefined, why: string): readonly Lost[] =>
    count === null || count === undefined || count === 0
      ? []
      : [{ count, why, noUndo: `no undo brings ${count === 1 ? 'it' : 'them'} back` }];
  return [
    ...lost(ignored, 'ignored by git'),
    ...lost(large, 'too large for a checkpoint'),
    ...lost(repository, "in git's own folder"),
  ];
}
