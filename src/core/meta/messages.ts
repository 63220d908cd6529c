import type { RestorePart } from '../../protocol/checkpoint.ts';

/** A failure to understand a meta line, with a hint what to type instead. */
export interface MetaFault {
  readonly message: string;
  readonly hint: string;
}

/** The line begins with a colon and no letter follows, as the shell's own null command does. */
export function formatNoCommand(line: string): MetaFault {
  const shown = line.length > LONGEST_SHOWN || line.includes('\n') ? ': …' : line;
  return { message: `this is no command of aish; to run it in your shell, type !${shown}`, hint: ':help lists the commands' };
}

/** Longer lines are not repeated. */
const LONGEST_SHOWN = 60;

/** The line has an open quote. */
export const OPEN_QUOTE: MetaFault = {
  message: 'a quote is not closed',
  hint: 'close the quote, or put a backslash before it',
};

/** The command does not exist. `nearest` is a similar one. */
export function formatUnknownCommand(typed: string, nearest: string | null): MetaFault {
  const hint = nearest === null ? ':help lists the commands' : `did you mean ${nearest}?`;
  return { message: `there is no command ${typed}`, hint };
}

/** The command lacks its action or a required argument. */
export function formatMissingWord(command: string, missing: string, usages: readonly string[]): MetaFault {
  return { message: `${command} needs ${missing}`, hint: formatUsages(usages) };
}

/** The command has one word too many. */
export function formatExtraWord(command: string, word: string, usage: string): MetaFault {
  return { message: `${command} takes no argument "${word}"`, hint: formatUsages([usage]) };
}

/** The command cannot use this argument. */
export function formatBadArgument(command: string, word: string, usage: string): MetaFault {
  return { message: `${command} cannot use the argument "${word}"`, hint: formatUsages([usage]) };
}

const formatUsages = (usages: readonly string[]): string => `usage: ${usages.join('\n         ')}`;

/** Fewer changes existed than the user wanted to undo or redo. */
export const formatFewer = (done: number, direction: 'undo' | 'redo'): string =>
  `there ${done === 1 ? 'was only 1 change' : `were only ${done} changes`} to ${direction}`;

/** The progress of an undo or redo before the user cancelled it. */
export function formatGivenUp(part: RestorePart | undefined): string {
  if (part === undefined || part.done === 0) return 'nothing changed';
  const { direction, done, left, checkpoint } = part;
  const verb = direction === 'redo' ? 'redid' : 'undid';
  return `${verb} ${done} of ${done + left} changes; did not ${direction} ${checkpoint}${left === 1 ? '' : ` and ${left - 1} more`}`;
}
