import { type Argument, literal, unknown } from '../gate/argument.ts';
import type { WatchedCall } from '../gate/scope.ts';
import type { Sift, Source } from './plan.ts';
import { siftText } from './source.ts';

/** What a command is started for, once for each word; null where the words are not known. */
export interface Round {
  /** Stands in the command for the word. */
  readonly mark: string;
  readonly words: readonly string[] | null;
}

interface Feed {
  /** What stands before the pipe. */
  readonly programs: readonly string[];
  readonly source: Source;
  readonly sifts: readonly Sift[];
}

/** Keeps in mind what the programs of a pipe print, for the one at its end that takes it as words. */
export class FedWords {
  readonly #lookUp: (source: Source) => string | null;
  #feed: Feed | null = null;
  /** The file that was opened last for reading. */
  #file: string | null = null;

  /** What a source prints is looked up where it is asked for. */
  constructor(lookUp: (source: Source) => string | null) {
    this.#lookUp = lookUp;
  }

  /** The first program of a pipe prints something. */
  prints({ name, input }: WatchedCall, source: Source): void {
    this.#feed = input.isGiven ? null : { programs: [name], source, sifts: [] };
  }

  /** A program of a pipe passes lines on. */
  passesOn({ name, input }: WatchedCall, sift: Sift | null): void {
    const feed = this.#feedOf(input.programs);
    if (feed === null) return;
    const { programs, sifts } = feed;
    this.#feed = { ...feed, programs: [...programs, name], sifts: sift === null ? sifts : [...sifts, sift] };
  }

  /** A file is opened for reading; null for one that is not known. */
  opens(path: string | null): void {
    this.#file = path;
  }

  /** A program that is called reads what was opened for it, and not what was opened for another one. */
  forget(): void {
    this.#file = null;
  }

  /** What a program reads; null where that is not known. */
  read({ input }: WatchedCall): string | null {
    const { text, programs, isGiven } = input;
    if (text !== null) return text;
    if (programs.length === 0) return isGiven && this.#file !== null ? this.readFile(this.#file) : null;
    const feed = this.#feedOf(programs);
    if (feed === null) return null;
    const { source, sifts } = feed;
    const isSplit =
      (source.from === 'search' && source.isZero) ||
      (source.from === 'git' && source.args.some((arg) => /^-\w*z/.test(arg)));
    const isPassedOn = programs.length > 1;
    if (isSplit && isPassedOn) return null;
    const printed = this.#lookUp(source);
    return printed === null || !isPassedOn ? printed : siftText(printed, sifts);
  }

  /** What is in a file, at an absolute path. */
  readFile(path: string): string | null {
    return this.#lookUp({ from: 'file', path });
  }

  #feedOf(programs: readonly string[]): Feed | null {
    const feed = this.#feed;
    const isSame = feed?.programs.length === programs.length && programs.every((one, at) => one === feed.programs[at]);
    return isSame ? feed : null;
  }
}

/** The words of a command for each round. What xargs would append is not among them: the mark stands for it. */
export function wordsOfRounds(
  words: readonly Argument[],
  { mark, words: fed }: Round,
): readonly (readonly Argument[])[] {
  const own = words.filter(({ isFed }) => isFed !== true);
  const isMarked = ({ value }: Argument): boolean => value?.includes(mark) === true;
  if (!own.some(isMarked)) return [own];
  if (fed !== null)
    return fed.map((one) =>
      own.map((word) => (isMarked(word) ? literal((word.value ?? '').replaceAll(mark, one)) : word)),
    );
  const appended = words.find(({ isFed }) => isFed === true) ?? unknown('what xargs reads');
  return [own.map((word) => (word.value === mark ? appended : isMarked(word) ? unknown(word.text) : word))];
}
