import type { Reason } from './command.ts';

/** Differences by design that more than one command of the table shows. */

/** Several commands that were entered at once. */
export const ONE_ENTRY: Reason = {
  bash: 'a block is one entry, as it was typed, where bash makes one of each command',
  zsh: 'what was entered at once is one entry, where zsh makes one of each command',
};

/**
 * aish evaluates lines that zsh cannot take as if they had been typed: blocks, here-documents, and lines that could remove aish's hooks.
 */
export const EVALUATED_JOB: Reason = {
  zsh: 'zsh counts what evaluates a block as job 1, so the first job of a block is 2',
};

/** zsh counts the lines it has read. */
export const OUR_LINES: Reason = { zsh: 'the line of ours before each one is counted as well' };

/** zsh forgets a line it cannot parse. */
export const KEPT_MISTAKE: Reason = { zsh: 'a line with a mistake is remembered, so that it can be mended' };

/** A trace shows that the line is evaluated. */
export const TRACED: Reason = 'a trace shows one level more, since lines are evaluated by a line of ours';

/** In bash, evaluating a line ends a pipeline of its own. */
export const OWN_PIPELINE: Reason = 'after a line the statuses of its pipeline are one: that of the line';
