import { findPathArguments } from '../../core/path-arguments.ts';
import type { PictureLimits } from '../../core/picture-limits.ts';
import { formatError, toErrorFact } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { CallPreview } from '../../protocol/tool.ts';
import { checkPlaceUndoable } from '../git/path-undoable.ts';
import { targetPath } from './target-path.ts';

/** Where a call of a server's tool happens. */
export interface CallPlace {
  /** Directory the checkpoint would be made in. */
  readonly cwd: string;
  /** Directory that relative paths among the arguments count from. */
  readonly base: string;
  readonly signal: AbortSignal;
  /** How much one picture takes in. */
  readonly most?: PictureLimits | undefined;
}

/** Whether a checkpoint would hold every path that the arguments of a call name. What the tool does besides, nobody can tell. */
export async function checkCallUndoable(
  values: JsonObject,
  { cwd, base, signal, most }: CallPlace,
): Promise<CallPreview> {
  const named = findPathArguments(values);
  if (named === null)
    return { undoable: false, why: 'its arguments are too many or too deep to look for paths in them' };
  const paths: string[] = [];
  for (const path of named) {
    try {
      paths.push(targetPath(path, base).real);
    } catch (thrown) {
      return { undoable: false, why: formatError(toErrorFact(thrown)) };
    }
  }
  const place = await checkPlaceUndoable(cwd, [...new Set(paths)], { signal, most });
  return place;
}
