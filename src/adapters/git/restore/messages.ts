import { nameSome } from '../../../core/text/truncate.ts';
import { AishError } from '../../../protocol/error.ts';

/** Why a path is not restored, or needs a choice (the keys are codes of conflicts then). Each one follows `PATH:`. */
export const REASONS = {
  changed: 'it changed since',
  notInStep: 'this step did not change it',
  halted: 'halted before this file was restored',
  missingContent: "the file's content is missing in the repository",
  folderIsFile: 'a file is where its folder was; move it away first',
  fileIsFolder: 'a folder with other files is in its place; move it away first',
  notWritable: 'you have no permission to write to its folder',
  diskFull: 'the disk is full',
  'never-ended': 'the step never ended, so aish cannot tell its changes from later ones',
  'was-ignored': 'git ignored it before, so it may be older than the step',
  'changed-after': 'it changed just after the step ended, so the change may be yours',
  older: 'it is older than the step, and no checkpoint has its previous location',
  notRestorable:
    'its current version is too large, unreadable or not a regular file, so aish could not restore it later',
  notKept: 'it was too large or unreadable when aish made the checkpoint',
  maybeOlder: 'it may be older than the step: there were too many new files to keep them all',
};

const UNDONE_STEPS = ':checkpoints shows the undone steps';

const none = (message: string, hint: string): AishError => new AishError('checkpoint.none', message, { hint });

/** `other`: the step that the undo of `step` was part of. */
export const undoneTogether = (step: string, other: string): AishError =>
  none(`${step} was undone together with ${other}, which ran at the same time`, `:redo ${other} restores both`);

export const notUndone = (step: string): AishError => none(`nothing to redo: ${step} was not undone`, UNDONE_STEPS);

/** `of`: the step that the undo or redo `named` belongs to. */
export const prunedStep = (named: string, of: string): AishError =>
  new AishError('checkpoint.unknown', `${named} undoes or redoes ${of}, which has been pruned`, {
    hint: `:diff ${named} shows its changes`,
  });

export const nothingToRedo = (skipped: ReadonlySet<string>): AishError =>
  none('there is nothing to redo in this work tree', formatSkipped(skipped) ?? UNDONE_STEPS);

/** `hasOlderSteps`: there are checkpoints of the time before the folder became a repository. */
export function nothingToUndo(skipped: ReadonlySet<string>, hasOlderSteps: boolean): AishError {
  const others = hasOlderSteps
    ? 'aish undo --apart uses the checkpoints made before this folder became a git repository'
    : ':checkpoints lists the checkpoints; files that git ignores and very large ones are in no checkpoint';
  return none('there is nothing to undo in this work tree', formatSkipped(skipped) ?? others);
}

/** Steps that were skipped because all of their files differ; null if there are none. */
function formatSkipped(steps: ReadonlySet<string>): string | null {
  const [newest] = steps;
  if (newest === undefined) return null;
  return `none of the files of ${nameSome([...steps], 1)} match (another branch?); :undo ${newest} tries that step again`;
}

/** Why aish does not apply a path of a working copy. Each one follows `PATH:`. */
export const CHANGED_HERE = 'you changed it since the run began';
export const NO_FILE = 'no snapshot can hold what is in its place';

export const formatLarge = (path: string, size: string) => `${path} (${size})`;
