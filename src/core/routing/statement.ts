import type { WordToken } from './lexer.ts';
import type { PasteKind } from './paste.ts';
import type { EarlierLine } from './shell-facts.ts';
import type { Shape, Speech } from './words.ts';

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

/** Why a line goes where it goes: a code with the words that decide. The texts are in `messages.ts`. */
export type Reason =
  /** The first mark: `:`, `!` or `?`. */
  | { readonly code: 'mark'; readonly mark: ':' | '!' | '?' }
  /** A command of aish without its colon, where the shell has none of that name. */
  | { readonly code: 'meta'; readonly name: string }
  /** `%12`: an output of the session, or a job of the shell. */
  | { readonly code: 'handle'; readonly of: 'output' | 'job' }
  | { readonly code: 'paste'; readonly kind: PasteKind }
  /** The route that the user chose for this line, or for a similar one. */
  | ({ readonly code: 'earlier' } & EarlierLine)
  /** Nothing tells a command from a message. `asks`: as a command it changes something, so nothing happens before the user has chosen. */
  | { readonly code: 'doubt'; readonly name: string | null; readonly asks: boolean }
  /** Grammar of the shell without a command's name, or one of its history forms. */
  | { readonly code: 'syntax' | 'history-form' }
  | { readonly code: 'syntax-error'; readonly name: string }
  /** The first line began a command that goes on. */
  | { readonly code: 'continued' }
  | { readonly code: 'command'; readonly name: string; readonly by: Evidence }
  | { readonly code: 'path'; readonly path: string }
  | { readonly code: 'typo'; readonly typed: string; readonly meant: string }
  /** No such command is here, but the words after it are those of a call. */
  | { readonly code: 'missing'; readonly name: string }
  /** A sentence; null where it begins with no command, or where no single word decides. */
  | { readonly code: 'prose'; readonly name: string | null; readonly word: string | null };

/** The evidence that a line is a call of a command. */
export type Evidence =
  | { readonly type: Shown; readonly word: string }
  /** Nothing follows; the command takes any words; words follow that may be its operands. */
  | { readonly type: 'alone' | 'text' | 'words' };

/** A thing that is here under the name of an operand. */
type Thing = 'file' | 'ref' | 'host' | 'container';

type Shown = (typeof SHAPES)[number] | Thing | 'operator' | 'redirection' | 'subcommand' | 'target';

/** Shapes that only operands have, those that say most first. */
export const SHAPES = ['option', 'glob', 'expansion', 'quoted', 'path', 'number'] as const;
