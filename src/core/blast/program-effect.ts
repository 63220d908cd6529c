import type { Argument } from '../gate/argument.ts';
import type { GivenWords, OptionGrammar } from '../gate/options.ts';
import type { WatchedCall } from '../gate/scope.ts';
import type { PathWord, Search, Sift, Source, Step } from './plan.ts';

/** One call of a program, with what its plan may ask for. */
export interface EffectCall {
  readonly name: string;
  readonly given: GivenWords;
  readonly words: readonly Argument[];
  readonly input: WatchedCall['input'];
  readonly project: string;
  /** Where the line stands; null where it is not known. */
  readonly cwd: string | null;
  word(argument: Argument): PathWord;
  /** Adds what is done next. */
  add(step: Step): void;
  /** What is added from now on is done there. */
  goTo(cwd: string | null): void;
  /** What is added from now on may be done, or not. */
  mayNot(): void;
  /** What is found stands for `{}`, and for what is read from a pipe. */
  searchIs(search: Search): void;
  /** What is read stands for these words. */
  listIs(words: readonly string[]): void;
  /** What was found before the pipe stands for what is read. */
  fedBy(): void;
  /** What it starts is started once for each of these words, which stands where the mark is; null where they are not known. */
  eachIs(mark: string, words: readonly string[] | null): void;
  /** What it prints can be looked up. */
  prints(source: Source): void;
  /** It prints lines of what it reads, all of them without a sift. */
  passesOn(sift: Sift | null): void;
  /** What it reads through a pipe or from a file, where that is known by now. */
  piped(file?: PathWord): string | null;
}

/** What a program does to files, as steps. */
export interface ProgramEffect {
  /** Where the gate's own list of options will not do. */
  readonly grammar?: OptionGrammar;
  /** Plans a call. The answer `unhandled` leaves it to what the gate found. */
  readonly plan?: (call: EffectCall) => unknown;
  /** It does what the command does that it starts. */
  readonly isTransparent?: true;
  /** What it starts runs on another machine. */
  readonly isElsewhere?: true;
  /** Words that nobody knows are no options of it. */
  readonly ignoresOpaque?: true;
  /** What nobody can tell of a connection that it opens, by its verb; null where it only looks. */
  readonly fetches?: (verb: string) => string | null;
}

/** Effects by name: `'cp copy': {…}` holds for both. */
export type EffectTable = Readonly<Record<string, ProgramEffect>>;
