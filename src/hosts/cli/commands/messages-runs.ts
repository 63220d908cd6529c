/** The texts of autonomous runs in working copies. */

import { AishError } from '../../../protocol/error.ts';

export const formatBegun = (id: string) => `run ${id} begins in the background; :norris shows its state`;
export const formatEnded = (id: string, end: string, changes: string) => `run ${id}: ${end} ${changes}`;
export const CUT_SHORT = 'The run was cut short.';
export const NO_CHANGES = 'It changed no file.';
export const formatLost = (id: string, status: number, why: string) =>
  `run ${id} could not work (status ${status})${why === '' ? '' : `: ${why}`}`;
export const formatNotCopied = (names: string) => `ignored files without a copy: ${names}`;

const countFiles = (count: number) => `${count} ${count === 1 ? 'file' : 'files'}`;
export const formatChanged = (count: number) => `${countFiles(count)} changed.`;
export const formatOffer = (id: string) => `:norris diff ${id}, :norris apply ${id} or :norris discard ${id}`;
export const formatPlace = (tree: string) => `The changes are in ${tree}`;
export const formatOfferAtPrompt = (id: string) => `at a prompt of aish: ${formatOffer(id)}`;

export const formatApplied = (id: string, count: number) => `run ${id}: applied ${countFiles(count)}`;
export const formatUndoneBy = (checkpoint: string) => `:undo ${checkpoint} takes them back`;
export const formatConflict = (path: string, why: string) => `  not applied: ${path}: ${why}`;
export const formatKept = (id: string, tree: string) =>
  `The working copy stays in ${tree}; :norris discard ${id} removes it`;
export const NOTHING_TO_APPLY = 'there was nothing to apply';
export const formatDiscarded = (id: string) => `run ${id}: its working copy is removed`;
export const formatStopped = (id: string) => `run ${id} is stopped`;
export const formatNotRunning = (id: string) => `run ${id} has ended already`;

export const noRun = (id: string | undefined) =>
  new AishError('run.none', id === undefined ? 'there is no run in the background' : `there is no run ${id}`, {
    hint: "begin one like this: :norris 'make the tests pass' until 'npm test' in background",
  });
export const stillAtWork = (id: string) =>
  new AishError('run.at-work', `run ${id} is still running`, { hint: `stop it first: :norris stop ${id}` });
export const notReady = (id: string) =>
  new AishError('run.not-ready', `the working copy of run ${id} is not complete`, {
    hint: `remove it: :norris discard ${id}`,
  });

export const formatHead = (id: string, state: string, goal: string) => `${id}  ${state}  ${goal}`;
export const STATES = { working: 'works', ended: 'ended', cut: 'was cut short' };
export const formatIndented = (text: string) => `    ${text}`;
