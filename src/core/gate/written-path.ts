import { find } from './findings.ts';
import type { Ground } from './place.ts';
import { locate } from './place.ts';
import type { Finding } from './verdict.ts';

/** A file that a tool would write, under its own name and under the one that it leads to. Both are absolute. */
export interface WrittenPath {
  readonly named: string;
  readonly real: string;
  /** Whether the whole of it is written or a part. */
  readonly use: 'replace' | 'edit';
}

/** What no yes lets a tool of ours write, as no yes lets a command write it; null for any other file. */
export function refuseWrite({ named, real, use }: WrittenPath, ground: Ground): Finding | null {
  if (isGuardedPath(named, ground) || isGuardedPath(real, ground)) return find('plants', named);
  // A project that is reached by a link may really lie anywhere: the name tells where it belongs.
  const { zone } = locate(named, null, ground);
  return zone === 'disk' || (zone === 'system' && use === 'replace') ? find('wrecks', named) : null;
}

/** Whether what stands at an absolute path acts later, or governs what may run. */
export function isGuardedPath(path: string, ground: Ground): boolean {
  return locate(path, null, ground).isGuarded;
}
