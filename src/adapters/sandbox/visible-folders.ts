import { accessSync, constants, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { isBelow } from '../../core/commands/place.ts';
import {
  HOME_OF_ROOT,
  HOMES_OF_OTHERS,
  isEmptied,
  type Layer,
  orderLayers,
  type SandboxPlan,
  SHOWN_IN_HOME,
  SYSTEM_FOLDERS,
} from '../../core/sandbox/sandbox-plan.ts';
import { attempt } from '../../core/text/attempt.ts';
import { readGitLink, readRegular, toRealPath } from '../system/file-status.ts';
import { type Look, Way } from './while-unchanged.ts';

/** Folders that are no links and hold what others put there for a while: sockets, locks, files in transit. */
export const PASSING: readonly string[] = ['/tmp', '/var/tmp', '/run', '/var/run'];

/** The real paths that a sandbox shows. */
export interface VisibleFolders {
  readonly layers: readonly Layer[];
  /** Links on the way to what is shown, which the empty folders cover. */
  readonly links: readonly (readonly [path: string, target: string])[];
  readonly home: string;
  readonly project: string;
  /** The project is the home, so nothing of it is covered but what its name or its mode says. */
  readonly isHomeShown: boolean;
}

/** A sandbox that shows all there is. */
export const NOTHING_LAID: VisibleFolders = { layers: [], links: [], home: '/', project: '/', isHomeShown: false };

/** Finds what a sandbox shows for a plan, now: the system and the project, and of the homes what programs need to run. */
export function findVisible(plan: SandboxPlan): VisibleFolders {
  return lookAtVisible(plan).value;
}

/** The same, as a look that can be kept. */
export function lookAtVisible(plan: SandboxPlan): Look<VisibleFolders> {
  const home = toRealPath(plan.home);
  const project = toRealPath(plan.project);
  const { programs = [] } = plan;
  const homes = [home, HOME_OF_ROOT, ...foldersIn(HOMES_OF_OTHERS)].filter((path) => path !== '/');
  // A project that holds all there is shows all but the homes.
  const isAll = project === '/';
  const emptied = [...(isAll ? [] : ['/']), ...homes.filter((path) => path !== project).filter(canBeRead)];
  const passing = PASSING.filter(isFolder);
  const inHomes = homes.flatMap((path) => SHOWN_IN_HOME.map((name) => join(path, name)));
  const own = plan.own.map(toRealPath);
  const isOwn = (path: string): boolean => {
    const real = toRealPath(path);
    return own.some((one) => isBelow(real, one));
  };
  const ofPrograms = programs.filter((path) => isAbsolute(path) && !homes.includes(path) && !isOwn(path));
  const wanted = [
    ...(isAll ? [] : SYSTEM_FOLDERS),
    ...inHomes.filter((path) => isBelow(path, home) || programs.some((one) => isBelow(one, path))),
    ...ofPrograms,
    ...gitFolders(project),
    ...skillFolders(plan),
    plan.cwd,
  ];
  const there = wanted.filter((path) => attempt(() => statSync(path, { throwIfNoEntry: false }) !== undefined, false));
  const shown = there.map(toRealPath);
  const fit = shown.filter((path) => !passing.includes(path) && !emptied.some((one) => isBelow(one, path)));
  const seen = PASSING.includes(project) ? fit : [...fit, project];
  const layers = orderLayers([
    ...emptied.map((path): Layer => ({ path, kind: 'empty' })),
    ...passing.map((path): Layer => ({ path, kind: 'private' })),
    ...seen.map((path): Layer => ({ path, kind: 'shown' })),
  ]);
  const ways = [plan.home, plan.project, plan.cwd, ...there];
  // A name in a folder stands for all names in it, and for its mode.
  const within = [...homes, HOMES_OF_OTHERS, project].map((folder) => join(folder, '*'));
  const value = { layers, links: linksOn(ways, layers), home, project, isHomeShown: home === project };
  // A linked work tree names its repository in a file.
  const isLinked = isFile(join(project, '.git'));
  return { value, paths: isLinked ? null : [...ways, ...wanted, ...PASSING, ...plan.own, ...programs, ...within] };
}

/** The skills of the user lie among the settings of aish, but commands need their files. */
export function skillFolders({ own }: Pick<SandboxPlan, 'own'>): readonly string[] {
  return own.map((folder) => join(folder, 'skills')).filter(isFolder);
}

/**
 * Folders outside of a project that its repository consists of: those of a linked work tree or of a submodule. The link is a file of the
 * project, which may come from anybody, so the folder it names has to name the project as well, or belong to a repository around it.
 */
function gitFolders(project: string): readonly string[] {
  try {
    const file = join(project, '.git');
    if (!isFile(file)) return [];
    const named = readGitLink(project);
    if (named === null) return [];
    const folder = realpathSync(named);
    const above = /^(.*)\/\.git\/modules\/./.exec(folder)?.[1];
    if (above !== undefined && isBelow(project, above)) return [folder];
    const back = readRegular(join(folder, 'gitdir')).toString().trim();
    if (realpathSync(resolve(folder, back)) !== realpathSync(file)) return [];
    return [realpathSync(resolve(folder, readRegular(join(folder, 'commondir')).toString().trim())), folder];
  } catch {
    return []; // No repository, or one that git itself would not read.
  }
}

/** The links that some paths lead over and that lie in empty folders. */
function linksOn(paths: readonly string[], layers: readonly Layer[]): VisibleFolders['links'] {
  const found = new Map<string, string>();
  const way = new Way();
  for (const path of paths)
    way.follow(path, (link, target) => {
      if (isEmptied(link, layers)) found.set(link, target);
    });
  return [...found];
}

/** The folders in a folder, but for links: they lead to what is looked at by its own name. */
function foldersIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

/** A folder that we cannot look into shows nothing to the command either. */
function canBeRead(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFolder(path);
  } catch {
    return false;
  }
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
