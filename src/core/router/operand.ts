import type { WordToken } from './lexer.ts';
import type { Shape, Speech } from './word-shape.ts';

/** Why words are a call of the shell, or none. */
export interface Verdict {
  readonly call: boolean;
  readonly reason: string;
}

/** An operand with all that is known of it. */
export interface Operand {
  readonly word: WordToken;
  readonly shape: Shape;
  readonly speech: Speech;
  /** A file of this name is in the current directory. */
  readonly exists: boolean;
}

/** The verdict that the shell is meant. */
export function call(reason: string): Verdict {
  return { call: true, reason };
}

/** The verdict that the model is meant. */
export function sentence(reason: string): Verdict {
  return { call: false, reason };
}
