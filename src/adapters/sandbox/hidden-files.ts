import { accessSync, constants, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isBelow } from '../../core/commands/place.ts';
import { GUARDED_FOLDERS, isSecretFileName, SECRET_FOLDERS } from '../../core/commands/protected-files.ts';
import { isEmptied, type SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import { succeeds } from '../../core/text/attempt.ts';
import { mayMatch } from '../../core/text/glob.ts';
import { stateOf } from '../system/folder-state.ts';
import { entriesOf, type Found, lookAt, ProjectFolders } from './project-folders.ts';
import { findVisible, skillFolders, type VisibleFolders } from './visible-folders.ts';
import { hasSame, keepSame, WhileUnchanged } from './while-unchanged.ts';

/** The real paths that a sandbox keeps from its command. */
export interface HiddenFiles {
  /** Files nobody can read in there. */
  readonly files: readonly string[];
  /** Pipes of the project, which nobody can open in there: who reads from them is outside. */
  readonly pipes: readonly string[];
  /** Folders that are empty in there. */
  readonly folders: readonly string[];
  /** Files and folders of the project that govern what may run: they cannot be written to. */
  readonly governing: readonly string[];
}

/**
 * Places of the system, and how deep aish looks there for files that only their owner may read. The superuser does not see them either.
 */
const SYSTEM_PLACES: readonly (readonly [folder: string, depth: number])[] = [
  ['/etc', 3],
  ['/opt', 2],
  ['/var/backups', 1],
  ['/var/lib', 1],
  ['/var/spool', 2],
];

/** Folders in which the name of a file shows a secret. Deeper in the system, certificates are named as keys are. */
const BY_NAME: ReadonlySet<string> = new Set(['/etc', '/etc/ssh', '/opt']);

/** Finds what a sandbox is to hide. A project is looked through once; after that, only its folders that changed. */
export class HiddenFileFinder {
  readonly #trees = new Map<string, ProjectFolders>();
  readonly #programs = new Map<string, { readonly state: string | null; readonly secret: readonly string[] }>();
  readonly #settled = new WhileUnchanged<readonly Settled[]>();
  #system: readonly string[] | null = null;
  #last: { readonly from: readonly unknown[]; readonly hidden: HiddenFiles } | null = null;

  /** The files to hide for a plan, as of now: the same object as before if they are the same. */
  find(plan: SandboxPlan, visible: VisibleFolders = findVisible(plan)): HiddenFiles {
    const { layers, isHomeShown, home, project } = visible;
    const tree = this.#treeOf(project, isHomeShown ? home : null).look();
    this.#system ??= lookAtSystem();
    const isSeen = (path: string): boolean => !isEmptied(path, layers);
    const shown = layers.filter(({ kind, path }) => kind === 'shown' && path !== project);
    const sources = [
      plan.own,
      this.#system,
      tree.secret,
      ...shown.map(({ path }) => this.#secretsIn(path, home)),
      ...skillFolders(plan).map((path) => this.#treeOf(path, null).look().secret),
    ];
    const settled = this.#settled.get([visible, ...sources], () => {
      const [found, listed] = [sources.flat(), [...SECRET_FOLDERS, '~/.ssh']];
      const all = settle([...found, ...listed.flatMap((path) => expand(path, home, isSeen))]);
      const paths = [...found, ...listed.map((path) => fromHome(path, home))];
      return { value: all.filter(({ path }) => isSeen(path)), paths };
    });
    const hidden = settled.filter(canBeOpened);
    const from = [settled, tree, plan.shows, plan.writesProject, ...hidden];
    // The files that govern a project are looked at each time.
    if (plan.writesProject || this.#last === null || !hasSame(this.#last.from, from))
      this.#last = { from, hidden: this.#sort(plan, visible, tree, hidden) };
    return this.#last.hidden;
  }

  #sort(
    plan: SandboxPlan,
    { layers, home, project }: VisibleFolders,
    tree: Found,
    hidden: readonly Settled[],
  ): HiddenFiles {
    const isSeen = (path: string): boolean => !isEmptied(path, layers);
    const folders = outermost(hidden.filter(({ isFolder }) => isFolder).map(({ path }) => path));
    const files = hidden.filter(({ isFolder, path }) => !isFolder && !folders.some((one) => isBelow(path, one)));
    return {
      files: files.map(({ path }) => path).filter((path) => plan.shows?.includes(path) !== true),
      pipes: tree.pipes.filter((path) => isSeen(path) && !folders.some((one) => isBelow(path, one))),
      folders,
      governing: plan.writesProject ? governingOf(project, home, tree, folders) : [],
    };
  }

  /** Only the names count in a folder outside of the home, so it is listed again when it has changed. */
  #secretsIn(folder: string, home: string): readonly string[] {
    const state = isBelow(folder, home) ? null : stateOf(folder);
    const known = this.#programs.get(folder);
    if (state !== null && known?.state === state) return known.secret;
    const found = secretsAmongPrograms(folder, home);
    const secret = keepSame(known?.secret ?? [], found);
    this.#programs.set(folder, { state, secret });
    return secret;
  }

  #treeOf(project: string, home: string | null): ProjectFolders {
    const tree = this.#trees.get(project) ?? new ProjectFolders(project, home);
    this.#trees.set(project, tree);
    return tree;
  }
}

function governingOf(project: string, home: string, tree: Found, hidden: readonly string[]): readonly string[] {
  const listed = GUARDED_FOLDERS.filter((path) => path.startsWith('~/')).flatMap((path) => expand(path, home));
  const all = settle([...tree.governing, ...listed])
    .filter(canBeOpened)
    .map(({ path }) => path);
  const inProject = all.filter((path) => isBelow(path, project) && path !== project);
  return outermost(inProject).filter((path) => !hidden.some((one) => isBelow(path, one)));
}

/** A program is no secret, whatever its name or mode tells: `pass` is one. */
function secretsAmongPrograms(folder: string, home: string): readonly string[] {
  return lookAt(folder, home).secret.filter((path) => path === folder || isSecretFileName(path) || !isProgram(path));
}

function isProgram(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && (stat.mode & 0o100) !== 0;
}

/** Lists the files of the system that only their owner may read. */
function lookAtSystem(): readonly string[] {
  if (process.getuid?.() !== 0) return [...BY_NAME].flatMap((folder) => lookAt(folder, null).secret);
  const found: string[] = [];
  const visit = (folder: string, depth: number): void => {
    for (const entry of entriesOf(folder)) {
      const path = `${folder}/${entry.name}`;
      if (!entry.isFile() && !entry.isDirectory()) continue;
      if (isClosed(path) || (BY_NAME.has(folder) && isSecretFileName(entry.name))) found.push(path);
      else if (entry.isDirectory() && depth > 0) visit(path, depth - 1);
    }
  };
  for (const [folder, depth] of SYSTEM_PLACES) visit(folder, depth);
  return found;
}

function isClosed(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || (stat.mode & 0o004) !== 0) return false;
  return stat.isDirectory() ? entriesOf(path).length > 0 : stat.size > 0;
}

function fromHome(listed: string, home: string): string {
  return listed.startsWith('~/') ? join(home, listed.slice(2)) : listed;
}

/** A listed path where it stands; its last word may hold a star. */
function expand(listed: string, home: string, isMeant = (_: string) => true): readonly string[] {
  const path = fromHome(listed, home);
  if (!path.includes('*')) return isMeant(path) ? [path] : [];
  const folder = dirname(path);
  if (!isMeant(folder)) return [];
  if (folder.includes('*')) return [];
  const matches = mayMatch(basename(path));
  return entriesOf(folder).flatMap(({ name }) => (matches(name) ? [join(folder, name)] : []));
}

/** A real path, what is there, and whether it is ours. */
interface Settled {
  readonly path: string;
  readonly isFolder: boolean;
  readonly isOwn: boolean;
}

/** Real paths of what is there, each once. */
function settle(paths: readonly string[]): readonly Settled[] {
  const real = new Map<string, Settled>();
  for (const path of paths) {
    try {
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue;
      const target = realpathSync(path);
      const stat = statSync(target);
      real.set(target, { path: target, isFolder: stat.isDirectory(), isOwn: stat.uid === process.getuid?.() });
    } catch {
      // It cannot be reached from here, so not from inside.
    }
  }
  return [...real.values()];
}

/** A command can open a file that is closed to us if we own it, and can go through a folder that it cannot list. */
function canBeOpened({ path, isFolder, isOwn }: Settled): boolean {
  return isOwn || succeeds(() => accessSync(path, isFolder ? constants.X_OK : constants.R_OK));
}

/** Leaves out the paths that lie below another one. */
export function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isBelow(path, other)));
}
