import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { isEmptied, type Layer, type SandboxLimits, type SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import type { HiddenFiles } from './hidden-files.ts';
import { noUnshare } from './messages.ts';
import type { SandboxView } from './sandbox.ts';
import { COVER_FILE, COVER_FOLDER, SUPERVISOR_CAPABILITIES } from './supervisor-script.ts';
import type { VisibleFolders } from './visible-folders.ts';

/** How a sandbox is set up, beside its plan. */
interface BubblewrapSetup {
  readonly visible: VisibleFolders;
  /** A file that nobody may read, put over those that are to be hidden. */
  readonly cover: string;
  /** The superuser needs no name space of users, and sees who owns what without one. */
  readonly ownUsers: boolean;
  /** Files of the kernel that are not to be read. */
  readonly kernel: readonly string[];
  /** The folder that stands in for the project. */
  readonly view?: SandboxView | undefined;
  /** The user that the command runs as in a name space of users. */
  readonly user: { readonly id: number; readonly group: number };
}

/** The descriptor through which the filter for system calls comes. */
const FILTER_DESCRIPTOR = 3;
/** The descriptor on which bubblewrap tells of the first process within. */
const FIRST_DESCRIPTOR = 4;

/** Bytes of a private folder that holds little. */
const SMALL = '65536';

/** The folders of the system's own programs, as in `PATH`. */
export const SYSTEM_PATH = '/usr/bin:/bin:/run/current-system/sw/bin';
/** The programs of the system on NixOS, which lie below a private folder. */
export const NIXOS_PROGRAMS = '/run/current-system';
/** The private folder of every sandbox. */
export const SHARED_MEMORY = '/dev/shm';

/** The size in bytes and the mode of a private folder. */
export function privateFolder(path: string, limits: SandboxLimits): readonly [size: string, mode: string] {
  return path === '/tmp' ? [String(limits.temporary), '1777'] : [SMALL, '0755'];
}

/** Files in which a kernel tells everybody about keys and clocks. No program needs them. */
const KERNEL_FILES: readonly string[] = ['/proc/keys', '/proc/key-users', '/proc/timer_list'];

/** Those, and the files that the kernel keeps for the superuser, such as its memory and its log. */
export function findKernelFiles(): readonly string[] {
  const open = KERNEL_FILES.filter((path) => existsSync(path));
  const closed = readdirSync('/proc', { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `/proc/${name}`)
    .filter((path) => ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o004) & 0o004) === 0);
  return [...open, ...closed.filter((path) => !open.includes(path))];
}

/** The words for bubblewrap, up to the command. Later ones cover earlier ones. */
export function bubblewrapWords(
  plan: SandboxPlan,
  setup: BubblewrapSetup & { readonly hidden: HiddenFiles },
): string[] {
  const { hidden, view, visible } = setup;
  return [
    ...nameSpaceWords(setup),
    ...['--seccomp', String(FILTER_DESCRIPTOR), '--info-fd', String(FIRST_DESCRIPTOR)],
    ...['--proc', '/proc'],
    ...covered(setup.kernel, setup),
    // The superuser owns the settings of the kernel, also without any capability.
    ...['--remount-ro', '/proc'],
    ...['--dev', '/dev', '--size', SMALL, '--tmpfs', SHARED_MEMORY, '--remount-ro', '/dev'],
    ...laidOver(plan, setup),
    ...(view === undefined ? hidden.governing : (view.fixed ?? [])).flatMap((path) => ['--ro-bind', path, path]),
    ...hidden.folders.flatMap(closedFolder),
    ...covered(hidden.files, setup),
    // Those of a view are its own.
    ...covered(view === undefined ? hidden.pipes : [], setup),
    ...emptyFolders(visible).flatMap((path) => ['--remount-ro', path]),
    ...['--chdir', plan.cwd, '--'],
  ];
}

/**
 * The words for a bubblewrap that lasts, up to the supervisor in it. The supervisor covers what is hidden for each command, with copies of
 * a file and a folder that it finds among its private files.
 */
export function supervisedWords(plan: SandboxPlan, setup: BubblewrapSetup): string[] {
  return [
    ...nameSpaceWords(setup),
    ...SUPERVISOR_CAPABILITIES.flatMap((name) => ['--cap-add', name]),
    ...['--info-fd', String(FIRST_DESCRIPTOR)],
    ...['--proc', '/proc'],
    ...['--dev', '/dev', '--size', SMALL, '--tmpfs', SHARED_MEMORY, '--ro-bind', setup.cover, COVER_FILE],
    ...[...closedFolder(COVER_FOLDER), '--remount-ro', '/dev'],
    ...laidOver(plan, setup),
    ...emptyFolders(setup.visible).flatMap((path) => ['--remount-ro', path]),
    '--',
  ];
}

function nameSpaceWords(setup: BubblewrapSetup): string[] {
  return [
    ...(setup.ownUsers ? ['--unshare-user', '--uid', String(setup.user.id), '--gid', String(setup.user.group)] : []),
    ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...(isRootEmpty(setup) ? [] : ['--ro-bind', '/', '/']),
  ];
}

function closedFolder(path: string): string[] {
  return ['--perms', '0000', '--size', SMALL, '--tmpfs', path, '--remount-ro', path];
}

/** Nobody can read the cover, neither the superuser, who has no capability in there. */
function covered(files: readonly string[], { cover }: BubblewrapSetup): string[] {
  return files.flatMap((path) => ['--ro-bind', cover, path]);
}

/** Without it the root is an empty folder from the start, and the layers are all there is. */
function isRootEmpty({ visible }: BubblewrapSetup): boolean {
  return visible.layers.some(({ path, kind }) => path === '/' && kind === 'empty');
}

/** The layers with the project and what may be done to it. */
function laidOver(plan: SandboxPlan, { visible, view }: BubblewrapSetup): string[] {
  const { layers, links, home, project } = visible;
  const source = view?.type === 'copy' ? `${view.folder}/upper` : project;
  return [
    ...layers.flatMap((layer) => wordsOf(layer, plan)),
    // Programs expect their home to be there, also where another folder covers it.
    ...(isEmptied(home, layers) ? ['--dir', home] : []),
    ...links.flatMap(([path, target]) => ['--symlink', target, path]),
    ...(plan.writesProject ? ['--bind', source, project] : []),
  ];
}

function wordsOf({ path, kind }: Layer, { limits }: SandboxPlan): string[] {
  switch (kind) {
    case 'shown':
      return ['--ro-bind-try', path, path];
    case 'empty':
      return path === '/' ? [] : ['--perms', '0755', '--size', SMALL, '--tmpfs', path];
    case 'private': {
      const [size, mode] = privateFolder(path, limits);
      const system = path === '/run' ? ['--ro-bind-try', NIXOS_PROGRAMS, NIXOS_PROGRAMS] : [];
      return ['--perms', mode, '--size', size, '--tmpfs', path, ...system];
    }
  }
}

/** The empty folders, to which nothing can be written. Private ones can be written to, and are gone afterwards. */
function emptyFolders({ layers }: VisibleFolders): readonly string[] {
  return layers.flatMap(({ path, kind }) => (kind === 'empty' ? [path] : []));
}

/** Only this process and its children see the mount, and it is gone with them. */
const LAY_OVERLAY = `cd "$1" || exit 125
said=$(PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH mount -t overlay aish -o lowerdir=lower,upperdir=upper,workdir=work,userxattr "$2" 2>&1) || {
  echo "bwrap: no overlay: $said"
  exit 125
}
shift 2
exec "$@"`;

/** The words that lay an overlay over the project, before those of the sandbox itself. */
export function overlayWords({ folder }: SandboxView, project: string, ownUsers: boolean): string[] {
  const program = Bun.which('unshare', { PATH: SYSTEM_PATH });
  if (program === null) throw noUnshare();
  const users = ownUsers ? ['--user', '--map-root-user'] : [];
  return [program, '--mount', ...users, '--', '/bin/sh', '-c', LAY_OVERLAY, 'sh', folder, project];
}
