import type { Key } from './keys.ts';

/** What letters do: with vi's keys they are text only sometimes. */
export type KeyMode = 'insert' | 'normal' | 'visual' | 'replace';

/** A piece of the text, from the first offset to the one behind its end. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** What carries keys out. */
export interface KeyHandler {
  handle(key: Key): void;
  /** A new line begins: what keys had begun is over. */
  begin(): void;
  /** Null where letters are always text. */
  readonly mode: KeyMode | null;
  /** The piece that is selected. */
  readonly selection: Span | null;
}
