import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Paths } from '../../adapters/config/paths.ts';
import { toRealPath } from '../../adapters/system/file-status.ts';
import { toCurrentPath } from '../../adapters/system/own-program.ts';
import { type OwnFiles, touchOf } from '../../core/commands/protected-files.ts';
import { attempt } from '../../core/text/attempt.ts';
import { omitUndefined } from '../../protocol/json.ts';

interface OwnPlaceOptions {
  readonly paths: Paths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly runtimeFolder: () => string;
  /** The configuration file that was read, wherever it lies. */
  readonly configFile: string | null;
}

/** Variables that lead to our folders. */
const VARIABLES = ['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR', 'AISH_CONFIG'];

/** Looks up what belongs to this very process: its folders under all their names, its program, its terminal. */
export function lookUpOwnPlace({ paths, env, cwd, runtimeFolder, configFile }: OwnPlaceOptions): OwnFiles {
  const named = env.AISH_CONFIG;
  const folders = [paths.config, paths.state, paths.cache, ...tryList(runtimeFolder)];
  const files = [configFile, named].flatMap((file) => (file ? [resolve(cwd, file)] : []));
  const terminals = [0, 1, 2].flatMap((fd) => tryList(() => readlinkSync(`/proc/self/fd/${fd}`)));
  const variables = VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  const pane = env.TMUX_PANE;
  return {
    paths: withRealNames([...folders, ...files, ...terminals.filter((path) => path.startsWith('/dev/pts/'))]),
    program: withRealNames(programPaths(env)),
    pids: [process.pid],
    names: processNames(),
    variables: Object.fromEntries(variables),
    ...omitUndefined({ pane }),
  };
}

/** The same with the processes of now, which are places too where the system shows them as files. */
export function withProcesses(own: OwnFiles, shell: number | null): OwnFiles {
  const pids = [...own.pids, ...(shell === null ? [] : [shell])];
  return { ...own, pids, paths: [...own.paths, ...pids.map((pid) => `/proc/${pid}`)] };
}

/** The same, with the named paths that are symbolic or hard links to aish's own files. */
export function withLinks(own: OwnFiles, named: Iterable<string>): OwnFiles {
  const paths: string[] = [];
  const program: string[] = [];
  const realFolders = new Map<string, string>();
  for (const path of named) {
    const stat = tryStat(path);
    const folder = dirname(path);
    // Mostly a word names nothing, as many others of its folder do.
    const realFolder = realFolders.get(folder) ?? toRealPath(folder);
    realFolders.set(folder, realFolder);
    const real = stat === null ? join(realFolder, basename(path)) : toRealPath(path);
    if (touchOf(path, [...own.paths, ...own.program], false) === 'own') continue;
    const isLink = real !== path;
    if ((isLink && touchOf(real, own.paths, false) === 'own') || isHardLink(stat, own)) paths.push(path);
    else if (isLink && touchOf(real, own.program, false) === 'own') program.push(path);
  }
  if (paths.length === 0 && program.length === 0) return own;
  return { ...own, paths: [...own.paths, ...paths], program: [...own.program, ...program] };
}

/** True for a file that is one of aish's own under another name. */
function isHardLink(stat: ReturnType<typeof tryStat>, { paths }: OwnFiles): boolean {
  if (stat === null || !stat.isFile() || stat.nlink < 2) return false;
  return paths.flatMap(filesOf).some((file) => {
    const own = tryStat(file);
    return own !== null && own.ino === stat.ino && own.dev === stat.dev;
  });
}

/** The file itself, or the direct entries of a folder; sessions are deeper, and no user links them. */
function filesOf(path: string): readonly string[] {
  if (path.startsWith('/proc/') || path.startsWith('/dev/')) return [];
  const names = tryList(() => readdirSync(path));
  return names.length === 0 ? [path] : names.map((name) => join(path, name));
}

/** The names of this process in lists of processes: its file, and the name it gave itself. */
function processNames(): readonly string[] {
  const own = tryList(() => readFileSync('/proc/self/comm', 'utf8').trim());
  const program = toCurrentPath(process.execPath);
  return [...new Set([basename(program), basename(toRealPath(program)), ...own])];
}

/** Compiled it is one file; in a checkout it is also the source and what starts it, as the next start may build it anew. */
function programPaths(env: OwnPlaceOptions['env']): readonly string[] {
  const isCompiled = import.meta.dir.startsWith('/$bunfs/');
  const program = toCurrentPath(process.execPath);
  const root = isCompiled ? join(dirname(program), '..') : join(import.meta.dir, '../../..');
  const isCheckout = tryStat(join(root, 'src/hosts/main.ts')) !== null;
  const own = [
    ...(isCompiled ? [program] : []),
    ...(isCheckout ? ['bin', 'src', 'dist'].map((name) => join(root, name)) : []),
  ];
  const found = (env.PATH ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'aish'));
  return [...own, ...found.filter((path) => tryStat(path)?.isFile() === true)];
}

function withRealNames(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => [resolve(path), toRealPath(resolve(path))]))];
}

function tryStat(path: string) {
  // In a folder that is closed to this user.
  return attempt(() => statSync(path, { throwIfNoEntry: false, bigint: false }) ?? null, null);
}

/** A missing source counts as nothing. */
function tryList(look: () => string | readonly string[]): readonly string[] {
  return attempt(() => [look()].flat(), []);
}
