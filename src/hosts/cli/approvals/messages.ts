import type { RestoreChoice } from '../../../protocol/checkpoint.ts';
import { CHOSEN } from '../screen/messages.ts';

/** The words on the screen after a key answered an approval prompt. */
export const ANSWERED = {
  yes: 'yes',
  no: 'no',
  denied: 'denied',
  edited: 'edited',
  dryRun: 'dry run',
} as const;

export const formatAlways = (rule: string): string => `always: ${rule}`;

/** Prompts of the lines that a user types below a prompt. */
export const REASON_PROMPT = '  reason for the model: ';
export const COMMAND_PROMPT = '  new command: ';
export const formatItemsPrompt = (count: number): string => `  changes to apply (1-${count}, for example 1 3-5): `;

export const formatBadItems = (count: number): string => `Nothing was applied. Type numbers from 1 to ${count}.`;

/** The words on the screen after a key answered the prompt of a dry run. */
export const APPLIED_ALL = 'apply all';
export const DISCARDED = 'discarded';
export const formatAppliedItems = (items: readonly number[]): string => `apply ${items.join(', ')}`;

export const formatOpenElsewhere = (id: string): string => `Session ${id} is open in another aish.`;
export const JOIN_KEYS = { j: '[j] join it', f: '[f] fork it: continue in a copy', n: '[n] neither' } as const;

/** The words on the screen after a key answered the prompt of an undo. */
export const formatUndoAnswer = (choice: RestoreChoice, files: number): string =>
  files > 1 ? `${CHOSEN[choice]} all ${files}` : CHOSEN[choice];
export const CANCELLED = 'cancelled';
