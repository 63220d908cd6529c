import { relative } from 'node:path';
import { runGit } from './git-process.ts';
import { LARGEST_FILE } from './picture.ts';
import { lstatOrNull, toRawPath } from './raw-path.ts';
import { checkUndoable } from './repository.ts';
import { refusePath } from './work-file.ts';

/** Whether a write to one file could be taken back. `outside` tells why no checkpoint would hold it. */
export type PathUndoable =
  | { readonly undoable: true }
  | { readonly undoable: false; readonly why: string; readonly outside: string };

/** Tells whether a checkpoint made in `cwd` would hold the file at `path`, which is absolute and free of links. */
export async function checkPathUndoable(cwd: string, path: string): Promise<PathUndoable> {
  const why = await findReason(cwd, path);
  return why === null ? { undoable: true } : { undoable: false, why, outside: why };
}

async function findReason(cwd: string, path: string): Promise<string | null> {
  const place = await checkUndoable(cwd);
  if (!place.undoable) return place.why;
  const inside = relative(place.root, path);
  if (inside === '' || inside === '..' || inside.startsWith('../'))
    return `${path} is outside the work tree ${place.root}`;
  const refusal = refusePath(place.root, toRawPath(inside));
  if (refusal !== null) return refusal;
  const stat = lstatOrNull(path);
  if (stat !== null && stat.size > LARGEST_FILE) return 'the file is over 10 MB, too large for a checkpoint';
  const ignored = await runGit({ cwd: place.root, args: ['check-ignore', '--quiet', '--', inside] });
  return ignored.exit === 0 ? 'git ignores this file, so no checkpoint holds it' : null;
}
