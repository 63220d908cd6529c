import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { LineGround } from '../../core/gate/judge-line.ts';
import type { FileFacts, ReadGround } from '../../core/taint/sources-of-line.ts';
import type { TextOfOthers } from './text-of-others.ts';

/** What the file system tells of the paths that a line names. */
export const FILE_FACTS: FileFacts = { exists: existsSync, real: realPath };

/** Where a line is read from, without links: what lies in a project is told by its real path. */
export function toReadGround(
  { cwd, project, home, ...more }: LineGround,
  paths: readonly string[],
  others?: Pick<TextOfOthers, 'below'>,
): ReadGround {
  const root = realPath(project);
  const older = others?.below(root) ?? [];
  return { ...more, cwd: realPath(cwd), project: root, home: realPath(home), paths, older };
}

/** Where a path that somebody names really leads. */
export function realTarget(path: string, { cwd, home }: Pick<ReadGround, 'cwd' | 'home'>): string {
  return realPath(resolve(cwd, path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path));
}

/** A path without links; what does not exist stands where its folder really is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}
