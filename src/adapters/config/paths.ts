import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** The environment as data. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that are set, as another process gets them. */
export function definedOf(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The folders of aish, which may not exist yet. */
export interface Paths {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}

/** The folders by the XDG specification. A relative value is ignored. */
export function toPaths(env: Environment): Paths {
  return {
    config: join(baseFolder(env, 'XDG_CONFIG_HOME', '.config'), 'aish'),
    state: join(baseFolder(env, 'XDG_STATE_HOME', '.local/state'), 'aish'),
    cache: join(baseFolder(env, 'XDG_CACHE_HOME', '.cache'), 'aish'),
  };
}

function baseFolder(env: Environment, variable: string, underHome: string): string {
  const value = env[variable];
  return value !== undefined && isAbsolute(value) ? value : join(env.HOME || homedir(), underHome);
}

/** The folders from the root of the work tree around a directory down to it; null outside of a work tree. */
export function projectFolders(cwd: string): readonly string[] | null {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) return null;
  }
}

/** The work tree around a directory, else the directory. One that holds the home directory, or all there is, is nobody's project. */
export function projectAround(cwd: string, home: string): string {
  const root = projectFolders(cwd)?.[0];
  return root === undefined || root === '/' || home.startsWith(`${root}/`) ? cwd : root;
}
