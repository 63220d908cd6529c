import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { isEmptied, type Layer, type SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import type { HiddenFiles } from './hidden-files.ts';
import { noUnshare } from './messages.ts';
import type { SandboxView } from './sandbox.ts';
import type { VisibleFolders } from './visible-folders.ts';

/** How a sandbox is set up, beside its plan. */
interface BubblewrapSetup {
  readonly hidden: HiddenFiles;
  readonly visible: VisibleFolders;
  /** A file that nobody may read, put over those that are to be hidden. */
  readonly cover: string;
  /** The superuser needs no name space of users, and sees who owns what without one. */
  readonly ownUsers: boolean;
  /** Files of the kernel that are not to be read. */
  readonly kernel: readonly string[];
  /** What stands in the project's place. */
  readonly view?: SandboxView | undefined;
  /** Whom the command runs as, where it has a name space of users. */
  readonly user: { readonly id: number; readonly group: number };
}

/** The descriptor through which the filter for system calls comes. */
const FILTER_DESCRIPTOR = 3;
/** The descriptor on which bubblewrap tells of the first process within. */
const FIRST_DESCRIPTOR = 4;

/**
 * What a command that is held waits in, on the descriptor behind those two. It waits in the sandbox, where everything ends with
 * bubblewrap: what waits on bubblewrap's own `--block-fd` stays when that is killed, and runs the command when the pipe ends.
 */
export const HOLD_WORDS = ['/bin/sh', '-c', 'read -r word <&5; [ "$word" = go ] || exit 125; exec "$@" 5<&-', 'sh'];

const SMALL = '65536';

/** What a kernel tells everybody of keys and clocks. None of it is a program's to read. */
const KERNEL_FILES: readonly string[] = ['/proc/keys', '/proc/key-users', '/proc/timer_list'];

/** Those, and what the kernel keeps for the superuser, such as its memory and its log: in a sandbox nobody is. */
export function findKernelFiles(): readonly string[] {
  const open = KERNEL_FILES.filter((path) => existsSync(path));
  const closed = readdirSync('/proc', { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => `/proc/${name}`)
    .filter((path) => ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0o004) & 0o004) === 0);
  return [...open, ...closed.filter((path) => !open.includes(path))];
}

/** The words for bubblewrap, up to the command. Later ones cover earlier ones. */
export function bubblewrapWords(plan: SandboxPlan, setup: BubblewrapSetup): string[] {
  return [
    ...(setup.ownUsers ? ['--unshare-user', '--uid', String(setup.user.id), '--gid', String(setup.user.group)] : []),
    ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--seccomp', String(FILTER_DESCRIPTOR), '--info-fd', String(FIRST_DESCRIPTOR)],
    ...(isRootEmpty(setup) ? [] : ['--ro-bind', '/', '/']),
    ...['--proc', '/proc'],
    ...covered(setup.kernel, setup),
    // The superuser owns the settings of the kernel, also without any capability.
    ...['--remount-ro', '/proc'],
    ...['--dev', '/dev', '--size', SMALL, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...laidOver(plan, setup),
    ...(setup.view === undefined ? setup.hidden.governing : []).flatMap((path) => ['--ro-bind', path, path]),
    ...setup.hidden.folders.flatMap((path) => [
      '--perms',
      '0000',
      '--size',
      SMALL,
      '--tmpfs',
      path,
      '--remount-ro',
      path,
    ]),
    ...covered(setup.hidden.files, setup),
    // Those of a view are its own.
    ...covered(setup.view === undefined ? setup.hidden.pipes : [], setup),
    ...emptyFolders(setup).flatMap((path) => ['--remount-ro', path]),
    ...['--chdir', plan.cwd, '--'],
  ];
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
      const isTemporary = path === '/tmp';
      const size = isTemporary ? String(limits.temporary) : SMALL;
      const system = path === '/run' ? ['--ro-bind-try', '/run/current-system', '/run/current-system'] : [];
      return ['--perms', isTemporary ? '1777' : '0755', '--size', size, '--tmpfs', path, ...system];
    }
  }
}

/** What is written to the private folders is gone afterwards; to the empty ones nothing is. */
function emptyFolders({ visible }: BubblewrapSetup): readonly string[] {
  return visible.layers.flatMap(({ path, kind }) => (kind === 'empty' ? [path] : []));
}

/** What is mounted is seen by this process and its children only, and is gone with them. */
const LAY_OVERLAY = `cd "$1" || exit 125
said=$(PATH=/usr/bin:/bin:/usr/sbin:/sbin:$PATH mount -t overlay aish -o lowerdir=lower,upperdir=upper,workdir=work,userxattr "$2" 2>&1) || {
  echo "bwrap: no overlay: $said"
  exit 125
}
shift 2
exec "$@"`;

/** The words that lay an overlay over the project, before those of the sandbox itself. */
export function overlayWords({ folder }: SandboxView, project: string, ownUsers: boolean): string[] {
  const program = Bun.which('unshare', { PATH: '/usr/bin:/bin:/run/current-system/sw/bin' });
  if (program === null) throw noUnshare();
  const users = ownUsers ? ['--user', '--map-root-user'] : [];
  return [program, '--mount', ...users, '--', '/bin/sh', '-c', LAY_OVERLAY, 'sh', folder, project];
}
