import type { PasteKind } from './paste.ts';
import type { EarlierLine } from './shell-facts.ts';

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
export type Thing = 'file' | 'ref' | 'host' | 'container';

type Shown = (typeof SHAPES)[number] | Thing | 'operator' | 'redirection' | 'subcommand' | 'target';

/** Shapes that only operands have, those that say most first. */
export const SHAPES = ['option', 'glob', 'expansion', 'quoted', 'path', 'number'] as const;
