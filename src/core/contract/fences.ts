import type { Contract, Fence, FenceCode, PinnedFile } from '../../protocol/contract.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { isTestFile } from './pinned-files.ts';

/** The paths that a run may change, and those that it may not. */
interface Fences {
  readonly contract: Pick<Contract, 'only'>;
  readonly pinned: readonly PinnedFile[];
}

/** The fence at a path of the project, relative to it; null if the contract lets it change. */
export function fenceAt(path: string, { contract, pinned }: Fences): FenceCode | null {
  if (path === '.git' || path.startsWith('.git/') || path.endsWith('/.git') || path.includes('/.git/')) return 'repository';
  if (isPinned(path, pinned)) return 'pinned';
  return contract.only.some((only) => isIn(path, only)) ? null : 'outside';
}

/** A pinned file, a folder around one, or a file that looks like a test: a new one would be run by the checks, too. */
function isPinned(path: string, pinned: readonly PinnedFile[]): boolean {
  return isTestFile(path) || pinned.some((file) => file.path === path || file.path.startsWith(`${path}/`));
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
