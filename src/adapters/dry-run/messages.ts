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

export const formatMoreSetId = (count: number): string =>
  `${count} more files run with the rights of their owner or group (setuid, setgid)`;

/** Files in `.git` that change what git does, such as hooks. */
export const formatGoverningFiles = (names: string): string => `${names} (configures git)`;

export const notApplied = (reason: string | null): AishError =>
  reason === null
    ? new AishError('dry-run.not-applied', 'the dry run was stopped; nothing was applied', { hint: 'run it again' })
    : new AishError('dry-run.not-applied', `nothing was applied: ${reason}`, {
        hint: 'free some disk space, then run it again',
      });

export const formatCopyStatus = (exit: number): string => `cp exited with status ${exit}`;

export const projectReplaced = (root: string): AishError =>
  new AishError('dry-run.gone', `${root} was replaced since the dry run started`, { hint: 'run it again' });

const impossible = (message: string, hint?: string): AishError =>
  new AishError('dry-run.impossible', message, hint === undefined ? {} : { hint });

export const cannotLock = (folder: string): AishError => impossible(`cannot lock the folder ${folder}`);

export const tooManyFiles = (most: number): AishError =>
  impossible(`the project is too large to copy (more than ${most} files and folders)`);

export const tooManyBytes = (mostMib: number): AishError =>
  impossible(`the project is too large to copy (more than ${mostMib} MiB)`);

export const tooLittleSpace = (): AishError =>
  impossible('the project is too large to copy (more than half of the free disk space)');

export const stoppedCopying = (): AishError => impossible('the dry run was stopped while aish copied the project');

export const cannotCopy = (reason: string | undefined): AishError => impossible(`cannot copy the project: ${reason}`);

export const containsOwnFiles = (project: string): AishError =>
  impossible(`${project} contains aish's own files`, 'change to the folder of one project');

export const containsMount = (path: string): AishError =>
  impossible(`another file system is mounted in the project: ${path}`);

export function cannotOverlay(thrown: unknown): AishError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new AishError('dry-run.impossible', `cannot make the overlay of the project: ${reason}`, { cause: thrown });
}
