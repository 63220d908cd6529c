import type { ChangeConflict } from '../../core/impact/change-set.ts';
import { AishError } from '../../protocol/error.ts';

/** Why a change is not applied: as the dry run found it, or as the project is when it is applied. */
export type ApplyConflict = ChangeConflict | 'touched' | 'link-touched' | 'folder-replaced';

/** Each one follows `cannot be applied:` or `not applied: PATH:`. */
export const CONFLICTS: Readonly<Record<ApplyConflict, string>> = {
  'hard-linked': 'has another name (a hard link) that the dry run did not see',
  'changed-meanwhile': 'changed in the project during the dry run',
  touched: 'changed since the dry run started',
  'link-touched': 'the file to link to changed since the dry run started',
  'folder-replaced': 'a parent folder was replaced',
};

/** A warning. `id`: the mode bit that is set; `path`: null where the change is about one file. */
export function formatSetId(path: string | null, id: 'setuid' | 'setgid', mode: string): string {
  const owner = id === 'setuid' ? 'owner' : 'group';
  return `${path === null ? '' : `${path}: `}runs with the rights of its ${owner} (${id}, mode ${mode})`;
}

export function formatMoreSetId(count: number): string {
  return `${count} more files run with the rights of their owner or group (setuid, setgid)`;
}

/** Files in `.git` that change what git does, such as hooks. */
export function formatGoverningFiles(names: string): string {
  return `${names} (configures git)`;
}

export function notApplied(reason: string | null): AishError {
  return reason === null
    ? new AishError('dry-run.not-applied', 'the dry run was stopped; nothing was applied', { hint: 'run it again' })
    : new AishError('dry-run.not-applied', `nothing was applied: ${reason}`, {
        hint: 'free some disk space, then run it again',
      });
}

export function formatCopyStatus(exit: number): string {
  return `cp exited with status ${exit}`;
}

export function projectReplaced(root: string): AishError {
  return new AishError('dry-run.gone', `${root} was replaced since the dry run started`, { hint: 'run it again' });
}

function impossible(message: string, hint?: string): AishError {
  return new AishError('dry-run.impossible', message, hint === undefined ? {} : { hint });
}

export function cannotLock(folder: string): AishError {
  return impossible(`cannot lock the folder ${folder}`);
}

export function tooManyFiles(most: number): AishError {
  return impossible(`the project is too large to copy (more than ${most} files and folders)`);
}

export function tooManyBytes(mostMib: number): AishError {
  return impossible(`the project is too large to copy (more than ${mostMib} MiB)`);
}

export function tooLittleSpace(): AishError {
  return impossible('the project is too large to copy (more than half of the free disk space)');
}

export function stoppedCopying(): AishError {
  return impossible('the dry run was stopped while aish copied the project');
}

export function cannotCopy(reason: string | undefined): AishError {
  return impossible(`cannot copy the project: ${reason}`);
}

export function containsOwnFiles(project: string): AishError {
  return impossible(`${project} contains aish's own files`, 'change to the folder of one project');
}

export function containsMount(path: string): AishError {
  return impossible(`another file system is mounted in the project: ${path}`);
}

export function cannotOverlay(thrown: unknown): AishError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new AishError('dry-run.impossible', `cannot make the overlay of the project: ${reason}`, { cause: thrown });
}
