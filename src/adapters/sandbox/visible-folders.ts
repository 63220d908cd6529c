import {
  accessSync,
  constants,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
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
import { toRealPath } from '../system/file-status.ts';

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

const MOST_LINKS = 32;

/** Finds what a sandbox shows for a plan, now: the system and the project, and of the homes what programs need to run. */
export function findVisible(plan: SandboxPlan): VisibleFolders {
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
    plan.cwd,
  ];
  const there = wanted.filter(isThere);
  const shown = there.map(toRealPath);
  const fit = shown.filter((path) => !passing.includes(path) && !emptied.some((one) => isBelow(one, path)));
  const seen = PASSING.includes(project) ? fit : [...fit, project];
  const layers = orderLayers([
    ...emptied.map((path): Layer => ({ path, kind: 'empty' })),
    ...passing.map((path): Layer => ({ path, kind: 'private' })),
    ...seen.map((path): Layer => ({ path, kind: 'shown' })),
  ]);
  const ways = [plan.home, plan.project, plan.cwd, ...there];
  return { layers, links: linksOn(ways, layers), home, project, isHomeShown: home === project };
}

/**
 * Folders outside of a project that its repository consists of: those of a linked work tree or of a submodule. The link is a file of the
 * project, which may come from anybody, so the folder it names has to name the project as well, or belong to a repository around it.
 */
function gitFolders(project: string): readonly string[] {
  try {
    const file = join(project, '.git');
    if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return [];
    const named = /^gitdir: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1];
    if (named === undefined) return [];
    const folder = realpathSync(resolve(project, named));
    const above = /^(.*)\/\.git\/modules\/./.exec(folder)?.[1];
    if (above !== undefined && isBelow(project, above)) return [folder];
    const back = readFileSync(join(folder, 'gitdir'), 'utf8').trim();
    if (realpathSync(resolve(folder, back)) !== realpathSync(file)) return [];
    return [realpathSync(resolve(folder, readFileSync(join(folder, 'commondir'), 'utf8').trim())), folder];
  } catch {
    return []; // No repository, or one that git itself would not read.
  }
}

/** The links that some paths lead over and that lie in empty folders. */
function linksOn(paths: readonly string[], layers: readonly Layer[]): VisibleFolders['links'] {
  const found = new Map<string, string>();
  const targets = new Map<string, string | null>();
  for (const path of paths) {
    let rest = path.split('/').filter(Boolean);
    let at = '';
    for (let count = 0; rest.length > 0 && count < MOST_LINKS; ) {
      const [name = '', ...others] = rest;
      const next = `${at}/${name}`;
      const target = targets.has(next) ? (targets.get(next) ?? null) : targetOf(next);
      targets.set(next, target);
      rest = others;
      if (target === null) {
        at = next;
        continue;
      }
      if (isEmptied(next, layers)) found.set(next, target);
      rest = [
        ...resolve(at === '' ? '/' : at, target)
          .split('/')
          .filter(Boolean),
        ...others,
      ];
      at = '';
      count += 1;
    }
  }
  return [...found];
}

function targetOf(path: string): string | null {
  return attempt(() => (lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null), null);
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

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isThere(path: string): boolean {
  return attempt(() => statSync(path, { throwIfNoEntry: false }) !== undefined, false);
}
