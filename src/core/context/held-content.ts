import type { SessionState } from '../session/state.ts';
import { shownEntries } from './shown-entries.ts';

/** The content that the next request of a session carries beside the words of user and model. */
export interface HeldContent {
  /** The attached files by path. */
  readonly files: readonly string[];
  /** Outputs of commands and results of tools. */
  readonly outputs: number;
  readonly messages: number;
}

/** Counts what a move to another server would pass on. */
export function heldContent(state: Pick<SessionState, 'entries' | 'context' | 'turn'>): HeldContent {
  const { entries } = shownEntries(state);
  const files = entries.flatMap((entry) => (entry.type === 'user' ? (entry.files ?? []).map(({ path }) => path) : []));
  const piped = entries.filter((entry) => entry.type === 'user' && entry.attachment !== undefined).length;
  const outputs = entries.filter(({ type }) => type === 'command' || type === 'result' || type === 'proposal').length;
  const messages = entries.filter(({ type }) => type === 'user' || type === 'assistant').length;
  return { files: [...new Set(files)], outputs: outputs + piped, messages };
}
