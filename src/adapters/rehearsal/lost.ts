import { lostOf } from '../../core/blast/effect-words.ts';
import type { EntryState, PathChange } from '../../core/rehearsal/change-set.ts';
import { runGit } from '../git/git-process.ts';
import { LARGEST_FILE } from '../git/picture-limits.ts';
import { joinRawPaths, splitRawPaths } from '../git/raw-path.ts';
import { findRepository } from '../git/repository.ts';

/** Why no checkpoint holds what a path was before it was changed. */
export type LostReason = 'ignored' | 'large';

/** What no undo brings back once it is applied. */
export interface LostChanges {
  /** By raw path. */
  readonly paths: ReadonlyMap<string, LostReason>;
  /** Why nothing at all is brought back here; null where the rest of it is. */
  readonly nothing: string | null;
}

/** Finds what of the changes no undo brings back: of the project as it was, for no checkpoint holds it. */
export async function findLost(
  project: string,
  changes: readonly PathChange[],
  signal: AbortSignal,
): Promise<LostChanges> {
  const paths = new Map<string, LostReason>();
  const gone = changes.filter(({ path, before }) => before !== null && before.kind !== 'folder' && !isGitsOwn(path));
  if (gone.length === 0) return { paths, nothing: null };
  const repository = await findRepository(project, { signal });
  if ('why' in repository) return { paths, nothing: repository.why };
  for (const { path, before } of gone)
    if (before?.kind === 'file' && before.size > LARGEST_FILE) paths.set(path, 'large');
  const { place } = repository;
  const asked = await runGit({
    ...place,
    cwd: project,
    args: ['check-ignore', '-z', '--stdin'],
    input: joinRawPaths(gone.map(({ path }) => path)),
    // check-ignore takes names, not patterns, and refuses to be told so.
    env: { ...place.env, GIT_LITERAL_PATHSPECS: '0' },
    signal,
  });
  if (asked.exit === 0) for (const path of splitRawPaths(asked.stdout)) paths.set(path, 'ignored');
  return { paths, nothing: null };
}

/** What there is to be warned of in changes that go together: what no undo brings back, and rights that a file hands to whoever starts it. */
export function warningsOf(members: readonly PathChange[], lost: ReadonlyMap<string, LostReason>): readonly string[] {
  const count = (reason: LostReason): number => members.filter(({ path }) => lost.get(path) === reason).length;
  const isOne = members.length === 1;
  const gone = lostOf({ kind: 'deletes', ignored: count('ignored'), large: count('large') }).map(
    ({ count: many, why, noUndo }) => `${isOne ? '' : `${many} `}${why} (${noUndo})`,
  );
  const handing = members.filter(({ before, after }) => handsRights(after) && !isSameHanding(before, after));
  const rights = handing.slice(0, MOST_NAMED).map(({ path, after }) => {
    const name = isOne ? '' : `${Buffer.from(path, 'latin1').toString('utf8')}: `;
    return `${name}whoever starts it has the rights of its ${isUser(after) ? 'owner (setuid' : 'group (setgid'}, mode ${after?.mode.toString(8)})`;
  });
  const more = handing.length - rights.length;
  return [...rights, ...(more > 0 ? [`${more} more files hand out rights (setuid, setgid)`] : []), ...gone];
}

const MOST_NAMED = 5;
const SETUID = 0o4000;
const SETGID = 0o2000;

/** Of a folder those bits only say whose what is made in it becomes. */
function handsRights(state: EntryState | null): boolean {
  return state?.kind === 'file' && (state.mode & (SETUID | SETGID)) !== 0;
}

function isUser(state: EntryState | null): boolean {
  return state !== null && (state.mode & SETUID) !== 0;
}

/** Whoever starts it had those rights before; another content has them anew. */
function isSameHanding(before: EntryState | null, after: EntryState | null): boolean {
  if (before === null || after === null || before.kind !== 'file') return false;
  const bits = SETUID | SETGID;
  return (before.mode & bits) === (after.mode & bits) && before.user === after.user && before.group === after.group;
}

function isGitsOwn(path: string): boolean {
  return path === '.git' || path.startsWith('.git/');
}
