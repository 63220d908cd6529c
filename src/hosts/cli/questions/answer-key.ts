import type { KeyParser } from '../editor/keys.ts';

/** What becomes of the keys of a question. */
export interface AnswerKeys {
  /** Ctrl-C, wherever it stands. */
  readonly interrupt: () => void;
  /** One key that came alone. */
  readonly press: (text: string) => void;
}

/**
 * Takes keys for a question. An answer is one key that comes alone: a paste is none, and what stands in one read with others may be part of
 * one, be it that the terminal marks no pastes, or that the text that was pasted has the end mark in it.
 */
export function takeAnswerKey(parser: KeyParser, bytes: Uint8Array, { interrupt, press }: AnswerKeys): void {
  const keys = parser.push(bytes);
  const [first] = keys;
  if (keys.some((key) => key.type === 'key' && key.key === 'ctrl-c')) interrupt();
  else if (first?.type === 'text' && keys.length === 1) press(first.text);
}
