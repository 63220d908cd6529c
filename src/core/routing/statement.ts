import type { WordToken } from './lexer.ts';
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

/** What words are: a call of the shell, or a sentence for the model. */
export type Verdict = 'call' | 'sentence';

/** An operand with all that is known of it. */
export interface Operand {
  readonly word: WordToken;
  readonly shape: Shape;
  readonly speech: Speech;
  /** A file of this name is in the current directory. */
  readonly exists: boolean;
}
