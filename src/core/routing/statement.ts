import type { WordToken } from './lexer.ts';
import type { Reason, Thing } from './reason.ts';
import type { Shape, Speech } from './word-shape.ts';

/** One command with its operands, as the shell would start it. */
export interface SimpleCommand {
  readonly assignments: readonly WordToken[];
  readonly words: readonly WordToken[];
  readonly redirections: readonly WordToken[];
  /** The operator before it: empty for the first of the input. */
  readonly after: string;
}

/** A line as the shell's grammar sees it. */
export interface Statements {
  readonly commands: readonly SimpleCommand[];
  /** False where the shell would answer with a syntax error. */
  readonly valid: boolean;
  /** The shell would ask for more. */
  readonly open: boolean;
  /** Loops, conditionals, groups, functions, tests: what stands without a command's name. */
  readonly compound: boolean;
  /** A last `&`. */
  readonly trailing: boolean;
}

/** The reading of words: a call of the shell, or a sentence for the model. The reason is null if the words themselves give it. */
export interface Verdict {
  readonly isCall: boolean;
  readonly because: Reason | null;
}

/** A call by its words. */
export const CALL: Verdict = { isCall: true, because: null };

/** A sentence by its words. */
export const SENTENCE: Verdict = { isCall: false, because: null };

/** A sentence, by this word of it. */
export function sentenceBy({ raw }: WordToken): Verdict {
  return { isCall: false, because: { code: 'prose', name: null, word: raw } };
}

/** An operand with all that is known of it. */
export interface Operand {
  readonly word: WordToken;
  readonly shape: Shape;
  readonly speech: Speech;
  /** An existing thing of this name: a file, or an operand that the command takes. */
  readonly exists: Thing | null;
}
