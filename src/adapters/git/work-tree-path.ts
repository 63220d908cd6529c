import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { AishError } from '../../protocol/error.ts';
import { toRawPath } from './raw-path.ts';
import type { Repository } from './repository.ts';

/**
 * The raw path of what a person names. The root is free of links; the directory the person is in, or the one they name, need not be.
 * The last part may be a link itself.
 */
export function toWorkTreePath(repository: Repository, cwd: string, path: string): string {
  const named = resolve(cwd, path);
  const real = named === resolve(cwd) ? toRealPath(named) : join(toRealPath(dirname(named)), basename(named));
  const inside = relative(repository.root, real);
  if (inside !== '..' && !inside.startsWith(`..${sep}`)) return toRawPath(inside);
  throw new AishError('checkpoint.outside', `${path} is outside the work tree ${repository.root}`, {
    hint: 'name paths inside the work tree',
  });
}

/** Where a path really lies; of what is gone since, the part that is still there counts. */
function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(toRealPath(parent), basename(path));
  }
}

/** True where a path is the one that was named, or lies below it. */
export function coversPath(wanted: string, path: string): boolean {
  return wanted === '' || wanted === path || path.startsWith(`${wanted}/`);
}
