import { accessSync, constants, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mayMatch } from '../../core/gate/glob.ts';
import { GUARDED_FOLDERS, GUARDED_NAMES } from '../../core/gate/protected-paths.ts';
import { isSecretName, SECRET_FOLDERS } from '../../core/gate/secret-paths.ts';
import type { SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';

/** What a sandbox keeps from its command, as real paths. */
export interface HiddenFiles {
  /** Files nobody can read in there. */
  readonly files: readonly string[];
  /** Folders that are empty in there. */
  readonly folders: readonly string[];
  /** Files and folders of the project that govern what may run: they cannot be written to. */
  readonly governing: readonly string[];
}

/** Folders of a project that are looked through; what lies deeper in a larger one is not hidden. */
const MOST_FOLDERS = 4000;
const SYSTEM_SECRETS = ['/etc', '/etc/ssh', '/root'];
const GUARDED: ReadonlySet<string> = new Set([...GUARDED_NAMES, '.git']);
const GUARDED_HERE: ReadonlySet<string> = new Set(GUARDED_FOLDERS);
const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', 'target', '__pycache__']);

interface Found {
  readonly secret: readonly string[];
  readonly governing: readonly string[];
}

/** Finds what a sandbox is to hide. A project is looked through once; after that, only its top and where one stands, until it is looked through anew. */
export class HiddenFileFinder {
  readonly #trees = new Map<string, Found>();
  #system: readonly string[] | null = null;

  /** What is to be hidden for a plan, now. */
  find(plan: SandboxPlan): HiddenFiles {
    const { home, project, cwd, own } = plan;
    const tree = this.#trees.get(project) ?? this.look(project);
    const near = [...new Set([home, project, cwd])].map(lookAt);
    this.#system ??= SYSTEM_SECRETS.flatMap((folder) => lookAt(folder).secret);
    const there = new Set(entriesOf(home).map(({ name }) => name));
    const mayBeThere = (path: string) => !path.startsWith('~/') || there.has(path.slice(2).split('/', 1)[0] ?? '');
    const listed = [...SECRET_FOLDERS, '~/.ssh'].filter(mayBeThere).flatMap((path) => expand(path, home));
    const hidden = settle([
      ...own,
      ...listed,
      ...this.#system,
      ...tree.secret,
      ...near.flatMap(({ secret }) => secret),
    ]);
    const folders = outermost(hidden.filter(({ isFolder }) => isFolder).map(({ path }) => path));
    const files = hidden.filter(({ isFolder, path }) => !isFolder && !folders.some((one) => isBelow(path, one)));
    return {
      files: files.map(({ path }) => path).filter((path) => plan.shows?.includes(path) !== true),
      folders,
      governing: plan.writesProject ? this.#governing(plan, tree, folders) : [],
    };
  }

  /** Looks through a project anew. */
  look(project: string): Found {
    const waiting = [project];
    const found = [];
    for (let count = 0; count < MOST_FOLDERS; count += 1) {
      const folder = waiting.shift();
      if (folder === undefined) break;
      const { folders, ...here } = lookAt(folder);
      found.push(here);
      waiting.push(...folders.filter((path) => !PASSED_OVER.has(basename(path))));
    }
    const tree = {
      secret: found.flatMap(({ secret }) => secret),
      governing: found.flatMap(({ governing }) => governing),
    };
    this.#trees.set(project, tree);
    return tree;
  }

  #governing(plan: SandboxPlan, tree: Found, hidden: readonly string[]): readonly string[] {
    const { project, home } = plan;
    const listed = GUARDED_FOLDERS.filter((path) => path.startsWith('~/')).flatMap((path) => expand(path, home));
    const all = settle([...tree.governing, ...lookAt(project).governing, ...listed]).map(({ path }) => path);
    const inProject = all.filter((path) => isBelow(path, project) && path !== project);
    return outermost(inProject).filter((path) => !hidden.some((one) => isBelow(path, one)));
  }
}

/** Secret and governing files of one folder, and the folders in it. A folder that cannot be read shows nothing to the command either. */
function lookAt(folder: string): Found & { readonly folders: readonly string[] } {
  const secret: string[] = [];
  const governing: string[] = [];
  const folders: string[] = [];
  for (const entry of entriesOf(folder)) {
    const name = entry.name.toLowerCase();
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      folders.push(path);
      if (GUARDED_HERE.has(name)) governing.push(path);
      continue;
    }
    if (isSecretName(name)) secret.push(path);
    if (GUARDED.has(name)) governing.push(path);
  }
  return { secret, governing, folders };
}

/** A listed path where it stands; its last word may hold a star. */
function expand(listed: string, home: string): readonly string[] {
  const path = listed.startsWith('~/') ? join(home, listed.slice(2)) : listed;
  if (!path.includes('*')) return [path];
  const folder = dirname(path);
  if (folder.includes('*')) return [];
  const pattern = basename(path);
  return entriesOf(folder).flatMap(({ name }) => (mayMatch(pattern, name) ? [join(folder, name)] : []));
}

/** Real paths of what is there and could be read, each once. */
function settle(paths: readonly string[]): { readonly path: string; readonly isFolder: boolean }[] {
  const real = new Map<string, boolean>();
  for (const path of paths) {
    try {
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue;
      accessSync(path, constants.R_OK);
      const target = realpathSync(path);
      real.set(target, statSync(target).isDirectory());
    } catch {
      // It cannot be reached from here, so not from inside.
    }
  }
  return [...real].map(([path, isFolder]) => ({ path, isFolder }));
}

function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isBelow(path, other)));
}

/** True for a path that is a folder or in it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
