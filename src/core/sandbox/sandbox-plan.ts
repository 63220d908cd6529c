import { isBelow } from '../commands/place.ts';
import type { CommandClass } from '../commands/verdict.ts';

/** The limits of a sandboxed command. */
export interface SandboxLimits {
  readonly processes: number;
  /** Bytes of address space of each process, and of the memory that all of them hold. */
  readonly memory: number;
  /** Bytes of the largest file it may write. */
  readonly fileSize: number;
  /** Bytes of all its temporary files. */
  readonly temporary: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

/** The surroundings of a sandboxed command, as absolute paths. */
export interface SandboxContext {
  readonly cwd: string;
  readonly project: string;
  readonly home: string;
  /** aish's own folders: settings, sessions, sockets. They are empty in the sandbox. */
  readonly own: readonly string[];
  /** Folders of programs, as in `PATH`: they are shown wherever they lie. */
  readonly programs?: readonly string[];
}

/** The permissions of a sandbox: the command can read everything listed, and can write to nothing beyond this. */
export interface SandboxPlan extends SandboxContext {
  /** The project can be written to, but for what governs. */
  readonly writesProject: boolean;
  /** Files that are not hidden, as real paths: what runs tells no more of them than whether they changed. */
  readonly shows?: readonly string[];
  readonly limits: SandboxLimits;
}

const MIB = 1024 * 1024;

const LOOKING: SandboxLimits = {
  processes: 256,
  memory: 4096 * MIB,
  fileSize: 64 * MIB,
  temporary: 128 * MIB,
  cpuSeconds: 60,
  wallSeconds: 120,
};

const WORKING: SandboxLimits = {
  processes: 1024,
  memory: 16_384 * MIB,
  fileSize: 1024 * MIB,
  temporary: 1024 * MIB,
  cpuSeconds: 600,
  wallSeconds: 900,
};

/** Plans the permissions of a command of a class: a read-only command can write to nothing but its own temporary files. */
export function planSandbox(commandClass: CommandClass, place: SandboxContext): SandboxPlan {
  const looks = commandClass === 'read-only';
  return { ...place, writesProject: !looks, limits: looks ? LOOKING : WORKING };
}

/** A mount of a sandbox over a path: an empty folder, a private one that is gone afterwards, or the content from before such a folder. */
export interface Layer {
  readonly path: string;
  readonly kind: 'empty' | 'private' | 'shown';
}

/** Orders layers so that later ones lie within earlier ones, and leaves out those that change nothing. Paths are absolute and real. */
export function orderLayers(layers: readonly Layer[]): readonly Layer[] {
  const sorted = [...layers].sort(
    (one, other) => one.path.length - other.path.length || (one.kind === 'shown' ? 1 : 0) - (other.kind === 'shown' ? 1 : 0),
  );
  const kept: Layer[] = [];
  for (const layer of sorted) {
    const kind = layerAt(layer.path, kept)?.kind ?? 'shown';
    if (layer.kind === 'private' || kind !== layer.kind) kept.push(layer);
  }
  return kept;
}

/** True for a path that lies in, or is, a folder that is empty in the sandbox. */
export function isEmptied(path: string, layers: readonly Layer[]): boolean {
  const kind = layerAt(path, layers)?.kind;
  return kind === 'empty' || kind === 'private';
}

/** The innermost layer that a path lies in. */
export function layerAt(path: string, layers: readonly Layer[]): Layer | null {
  let found: Layer | null = null;
  for (const layer of layers) if (isBelow(path, layer.path) && (found === null || layer.path.length >= found.path.length)) found = layer;
  return found;
}

/**
 * The parts of the system that a sandbox shows. It has nothing else but the project and the paths below: no home, and no other folder at
 * the top of the file system. `/dev` and `/proc` are made anew.
 */
export const SYSTEM_FOLDERS: readonly string[] = listOf(
  '/bin /etc /gnu /lib /lib32 /lib64 /libexec /libx32 /nix /opt /sbin /snap /sys/devices /usr /var',
);

/** Each folder in here is a home. */
export const HOMES_OF_OTHERS = '/home';
/** The home of the superuser. */
export const HOME_OF_ROOT = '/root';

/**
 * The parts of a home directory that a sandbox shows beside the project: programs with their needs, packages that builds read, and settings
 * of git. Users have no files of their own in these places. Credentials within are hidden by the list of secret files.
 */
export const SHOWN_IN_HOME: readonly string[] = [
  // Programs and tool chains.
  ...listOf('.local/bin .local/lib .local/pipx .local/share/pipx .local/share/uv .local/share/mise .local/share/fnm'),
  ...listOf('.local/share/pnpm .local/share/rtx .local/share/virtualenvs .virtualenvs .cache/pypoetry/virtualenvs'),
  ...listOf('.cargo/bin .rustup .nvm .fnm .volta .n .npm-global .yarn/bin .bun/bin .deno/bin .pyenv .rbenv .rvm .asdf'),
  ...listOf('.goenv go/bin .sdkman .jenv .ghcup .cabal/bin .stack/programs .opam .elan .juliaup .julia/juliaup .dotnet'),
  ...listOf('.swiftly .pub-cache/bin .linuxbrew .nix-profile .nix-defexpr .local/state/nix miniconda3 anaconda3 miniforge3'),
  // Packages that were fetched.
  ...listOf('.cargo/registry .cargo/git go/pkg/mod .m2/repository .m2/wrapper .gradle/wrapper .gradle/caches .ivy2/cache'),
  ...listOf('.nuget/packages .bun/install/cache .gem/ruby .local/share/gem .cache/go-build .ccache .cache/ccache'),
  // Settings that change what git and builds print.
  ...listOf('.gitconfig .config/git .gitignore .gitignore_global .gitattributes .editorconfig .ripgreprc .tool-versions'),
];

function listOf(names: string): readonly string[] {
  return names.split(' ');
}
