import type { SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';
import { AishError } from '../../protocol/error.ts';
import { type HiddenFiles, isBelow } from './hidden-files.ts';
import type { SandboxView } from './sandbox.ts';

/** How a sandbox is set up, beside its plan. */
export interface BubblewrapSetup {
  readonly hidden: HiddenFiles;
  /** A file that nobody may read, put over those that are to be hidden. */
  readonly cover: string;
  /** The superuser needs no name space of users, and sees who owns what without one. */
  readonly ownUsers: boolean;
  /** Folders that are no links and hold what others put there for a while: sockets, locks, files in transit. */
  readonly passing: readonly string[];
  /** What stands in the project's place. */
  readonly view?: SandboxView | undefined;
  /** Whom the command runs as, where it has a name space of users. */
  readonly user: { readonly id: number; readonly group: number };
}

/** The descriptor through which the filter for system calls comes. */
export const FILTER_DESCRIPTOR = 3;
/** The descriptor on which bubblewrap tells of the first process within. */
export const FIRST_DESCRIPTOR = 4;

/**
 * What a command that is held waits in, on the descriptor behind those two. It waits in the sandbox, where everything ends with
 * bubblewrap: what waits on bubblewrap's own `--block-fd` stays when that is killed, and runs the command when the pipe ends.
 */
export const HOLD_WORDS = ['/bin/sh', '-c', 'read -r word <&5; [ "$word" = go ] || exit 125; exec "$@" 5<&-', 'sh'];

const SMALL = '65536';

/** The words for bubblewrap, up to the command. Later ones cover earlier ones. */
export function bubblewrapWords(plan: SandboxPlan, setup: BubblewrapSetup): string[] {
  return [
    ...(setup.ownUsers ? ['--unshare-user', '--uid', String(setup.user.id), '--gid', String(setup.user.group)] : []),
    ...['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--seccomp', String(FILTER_DESCRIPTOR), '--info-fd', String(FIRST_DESCRIPTOR)],
    ...['--ro-bind', '/', '/', '--proc', '/proc'],
    ...['--dev', '/dev', '--size', SMALL, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...privateFolders(plan, setup.passing),
    ...broughtBack(plan, setup),
    ...(setup.view === undefined ? setup.hidden.governing : []).flatMap((path) => ['--ro-bind', path, path]),
    ...setup.hidden.folders.flatMap((path) => ['--perms', '0000', '--size', SMALL, '--tmpfs', path]),
    ...setup.hidden.files.flatMap((path) => ['--ro-bind', setup.cover, path]),
    ...['--chdir', plan.cwd, '--'],
  ];
}

function privateFolders({ limits }: SandboxPlan, passing: readonly string[]): string[] {
  return passing.flatMap((folder) => {
    const size = folder === '/tmp' ? String(limits.temporary) : SMALL;
    return ['--perms', folder === '/tmp' ? '1777' : '0755', '--size', size, '--tmpfs', folder];
  });
}

/** What the command may see though it lies in a folder of passing things, and the project with what may be done to it. */
function broughtBack(plan: SandboxPlan, { passing, view }: BubblewrapSetup): string[] {
  const { home, project, cwd, writesProject } = plan;
  const isHidden = (path: string): boolean => passing.some((folder) => isBelow(path, folder) && path !== folder);
  const seen = [home, project, cwd].filter(isHidden);
  const system = passing.includes('/run') ? ['--ro-bind-try', '/run/current-system', '/run/current-system'] : [];
  return [
    ...system,
    ...[...new Set(seen)].flatMap((path) => ['--ro-bind', path, path]),
    ...(writesProject ? ['--bind', view?.type === 'copy' ? `${view.folder}/upper` : project, project] : []),
  ];
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
  if (program === null) throw new AishError('sandbox.failed', 'there is no program "unshare" to lay an overlay with');
  const users = ownUsers ? ['--user', '--map-root-user'] : [];
  return [program, '--mount', ...users, '--', '/bin/sh', '-c', LAY_OVERLAY, 'sh', folder, project];
}
