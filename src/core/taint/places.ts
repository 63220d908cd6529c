import { type Ground, locate } from '../gate/place.ts';
import { isBelow } from './below.ts';

/** Folders of a project that hold what others wrote: they are filled from the network. */
const FETCHED_FOLDERS: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  'vendor',
  'third_party',
  'third-party',
  'site-packages',
  'venv',
  '.venv',
  '.tox',
  '.nox',
  '.cargo',
  '.gradle',
  '.m2',
  '.bundle',
  '.npm',
  '.yarn',
  '.pnpm-store',
  'pods',
  'carthage',
  'deps',
  '.terraform',
]);

/** Folders that only the superuser fills, with what the person's system is made of. Logs, queues and devices are no part of that. */
const SYSTEM = ['/usr', '/etc', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/boot', '/opt', '/nix/store'];
const TOLD_BY_THE_KERNEL = /^\/(?:proc\/(?:[a-z_]+$|sys(?:\/|$)|net(?:\/|$))|sys(?:\/|$))/;

/** What one needs to know of a place to tell whose text stands there. */
export interface TaintGround extends Ground {
  /** Files and folders of the project that hold text of others. */
  readonly paths: readonly string[];
  /** Files of the project that hold such text since an earlier session: only who reads them reads it. */
  readonly older?: readonly string[];
}

/** True where a folder is a project of its own: one that holds the home directory, or everything, holds whatever was ever saved. */
export function isProject({ project, home }: Ground): boolean {
  return project !== '/' && !isBelow(home, project);
}

/** True for what lies neither in the project nor in the system. */
export function isOutside(path: string, ground: Ground): boolean {
  if (isSystem(path) || (isProject(ground) && isBelow(path, ground.project))) return false;
  const { zone } = locate(path, null, ground);
  return zone !== 'null' && zone !== 'stream';
}

/** True for what the text at a path may be of others: it lies outside, was fetched, or was written after such a text was read. */
export function holdsOthers(path: string, ground: TaintGround): boolean {
  if (isOutside(path, ground)) return true;
  if (!isProject(ground) || !isBelow(path, ground.project)) return false;
  const folders = path.slice(ground.project.length).toLowerCase().split('/');
  const written = [...ground.paths, ...(ground.older ?? [])];
  return folders.some((name) => FETCHED_FOLDERS.has(name)) || written.some((one) => isBelow(path, one));
}

/** One of some paths with text of others that is below a folder, or around it; null for none. */
export function othersBelow(folder: string, paths: readonly string[]): string | null {
  return paths.find((one) => isBelow(one, folder) || isBelow(folder, one)) ?? null;
}

function isSystem(path: string): boolean {
  return path === '/' || SYSTEM.some((folder) => isBelow(path, folder)) || TOLD_BY_THE_KERNEL.test(path);
}
