import type { Contract, Fence, FenceCode, PinnedFile } from '../../protocol/contract.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { GUARDED_FOLDERS, GUARDED_NAMES } from '../commands/protected-files.ts';

/** The paths that a run may change, and those that it may not. */
interface Fences {
  readonly contract: Pick<Contract, 'only'>;
  readonly pinned: readonly PinnedFile[];
}

/** The fence at a path of the project, relative to it; null if the contract lets it change. */
export function fenceAt(path: string, { contract, pinned }: Fences): FenceCode | null {
  if (GIT_DATA.test(path)) return 'repository';
  if (isGuarded(path)) return 'outside';
  if (isPinned(path, pinned)) return 'pinned';
  if (surrounds(path) && !contract.only.some((only) => surrounds(only) && isIn(path, only))) return 'pinned';
  return contract.only.some((only) => isIn(path, only)) ? null : 'outside';
}

/** Git's own data, and the patterns that keep files out of snapshots: no undo knows a file that a run had git ignore. */
const GIT_DATA = /(?:^|\/)\.git(?:$|\/|ignore$)/;
/** Files that act later, or control what may run, such as the settings of editors and of aish itself. */
function isGuarded(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  return GUARDED_NAMES.includes(parts.at(-1) ?? '') || parts.some((part) => GUARDED_FOLDERS.includes(part));
}

/** A pinned file, a folder around one, or a file that looks like a test or a setting: the checks would read a new one, too. */
function isPinned(path: string, pinned: readonly PinnedFile[]): boolean {
  return isTestFile(path) || isSetting(path) || pinned.some((file) => file.path === path || file.path.startsWith(`${path}/`));
}

/**
 * Hidden files at the top, folders of installed programs and modules, and modules that would take the place of those of the language:
 * checks read them, so only a contract that names them lets them change.
 */
const SURROUNDINGS: readonly RegExp[] = [
  /^\.[^/]/,
  /(?:^|\/)(?:node_modules|site-packages|\.?venv|vendor\/bin)(?:\/|$)/,
  /^(?:unittest|doctest|sitecustomize|usercustomize)(?:\.py$|\/|$)/,
];

function surrounds(path: string): boolean {
  return SURROUNDINGS.some((form) => form.test(path));
}

function isIn(path: string, folder: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`);
}

/** The facts about a call that its fences depend on. */
interface FencedCall {
  readonly call: ToolCall;
  readonly preview: CallPreview;
  /** A rule allows the call. */
  readonly isAllowed: boolean;
  /** The path that the call changes, relative to the project; null if it leads elsewhere. */
  readonly path: string | null;
}

/**
 * The fence that a call would pass, as far as that is known before it runs; null if it may begin. A command begins on a copy of the project
 * without a network, and its changes pass the fences path by path before aish applies them.
 */
export function findFence({ call, preview, isAllowed, path }: FencedCall, fences: Fences): Fence | null {
  const code = codeOf({ call, preview, isAllowed, path }, fences);
  if (code === null) return null;
  const line = call.effect === 'exec' ? String(call.arguments.command ?? '') : call.name;
  const at = path ?? preview.path;
  return { code, call: line, ...(at === undefined ? {} : { path: at }) };
}

function codeOf({ call, preview, isAllowed, path }: FencedCall, fences: Fences): FenceCode | null {
  if (call.effect === 'exec') return codeOfCommand(preview);
  if (!call.name.startsWith('aish.')) return call.effect === 'read' && isAllowed ? null : 'server';
  if (call.effect === 'read') return preview.foreign === true || preview.decided?.decision === 'ask' ? 'outside' : null;
  if (path === null) return 'outside';
  return fenceAt(path, fences) ?? (preview.undoable ? null : 'not-undoable');
}

function codeOfCommand({ decided }: CallPreview): FenceCode | null {
  switch (decided?.class) {
    case 'read-only':
    case 'mutating':
    case 'destructive':
      return null;
    case 'network':
      return 'network';
    case 'privileged':
      return 'privileged';
    case 'unparseable':
    case undefined:
      return 'unreadable';
  }
}

/** Names of folders and files that test runners collect by themselves, or read for their setup. */
const TEST_FOLDERS = /(?:^|\/)(?:tests?|__tests__|specs?|__snapshots__|testdata|e2e)\//i;
const TEST_NAMES: readonly RegExp[] = [
  /(?:^|\/)tests?(?:[-_][^/]*)?\.(?:[cm]?[jt]sx?|py|rb|sh|php|pl|lua|exs|rs|c|cc|cpp)$/,
  /[._-](?:test|spec)s?\.[^/]+$/,
  /(?:^|\/)conftest\.py$/,
  /Tests?\.(?:java|kt|cs|php|swift)$/,
  /\.(?:bats|t)$/,
];

/** Whether a path, relative to the project, is that of a test. */
export function isTestFile(path: string): boolean {
  return TEST_FOLDERS.test(path) || TEST_NAMES.some((form) => form.test(path));
}

/** Settings at the top of a project, by the forms of their names: they decide what a check runs. */
const SETTINGS: readonly RegExp[] = [
  /^[^/]+\.(?:toml|cfg|config|project|ini|xml|dist|mod|work|jsonc?|ya?ml|properties|cabal|exs|edn|bazel|build|gradle(?:\.kts)?)$/,
  /^[^/]*\.(?:config|conf|setup|workspace)\.[^/]+$/,
  /^[^/]*[Ff]ile(?:\.[^/]+)?$/,
  /^\.[^/]+rc(?:\.[^/]+)?$/,
  /^(?:CMakeLists\.txt|setup\.py|build\.rs)$/,
  /\.(?:mk|\w+proj|props|targets|sbt|runsettings)$/,
];

function isSetting(path: string): boolean {
  return SETTINGS.some((form) => form.test(path));
}

/** The files that checks depend on: tests, settings that decide what a check runs, and files that the checks name in `named`. */
export function findPinned(files: readonly string[], named: readonly string[]): readonly string[] {
  const known = new Set(named);
  return files.filter((path) => isTestFile(path) || isSetting(path) || known.has(path));
}
