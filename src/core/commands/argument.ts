/** A word of a command after expansion, as far as the text tells. */
export interface Argument {
  /** What it is called in reasons: as it was written. */
  readonly text: string;
  /** Null where a part of it is not known. */
  readonly value: string | null;
  /** What it begins with for certain. */
  readonly start: string;
  /** What is not known of it are digits. */
  readonly isNumber: boolean;
  /** A dash follows what is not known: where that is nothing, it is an option. */
  readonly isDashed?: boolean;
  /** Nothing but digits stands in it, some of which are not known. */
  readonly isFigure?: boolean;
  /** What is not known of it are digits and names of objects. */
  readonly isHash?: boolean;
  /** An unknown part stands outside of quotes: it may become several words, or none. */
  readonly isSplit: boolean;
  readonly isGlob: boolean;
  /** Of a glob, when all of it is known: what is quoted has a backslash before it. */
  readonly pattern?: string;
  /** It was written in a way that hides what it says. */
  readonly isDisguised: boolean;
  /** It comes from braces. */
  readonly isBraced?: boolean;
  /** It is put together from variables and more. */
  readonly isAssembled?: boolean;
  /** It is one of several words that a value was split into. */
  readonly isValue?: boolean;
  /** It comes from the input of another command, as with xargs: it may be an option. */
  readonly isFed?: boolean;
  /** It is a line of a file, or of a text that the line shows, and a whole word: no output of a command that is sent somewhere. */
  readonly isListed?: boolean;
  /** Stands for one of the words that xargs reads, to be classified beside all of them: nothing is done to it by itself. */
  readonly isStandIn?: boolean;
  /** It stands for what the search around it finds. */
  readonly isFound?: boolean;
  /** It holds what another machine sends. */
  readonly isRemote?: boolean;
  /** It holds what another command prints. */
  readonly hasOutput: boolean;
  /** What kind of text it comes from, where it was read or printed. */
  readonly feed?: Feed | undefined;
  /** It holds an extended pattern, which bash rejects as it is started here. */
  readonly isExtended?: boolean;
  /** It holds a variable whose name says secret. */
  readonly isSecret: boolean;
}

/** An argument whose text is its value. */
export function literal(value: string, isDisguised = false): Argument {
  return {
    text: value,
    value,
    start: value,
    isNumber: false,
    isSplit: false,
    isGlob: false,
    isDisguised,
    hasOutput: false,
    isSecret: false,
  };
}

/** An argument of which nothing is known. */
export function unknown(text: string): Argument {
  return { ...literal(''), text, value: null, isSplit: true };
}

/** A piece of a word while it is put together. */
export interface Piece {
  /** Null where it is not known. */
  readonly text: string | null;
  readonly isQuoted: boolean;
  readonly isGlob?: boolean;
  readonly isNumber?: boolean;
  readonly isHash?: boolean;
  readonly isDisguised?: boolean;
  readonly hasOutput?: boolean;
  readonly feed?: Feed | undefined;
  readonly isSecret?: boolean;
  readonly isExtended?: boolean;
  readonly isRemote?: boolean;
}

/** A value that was made to grow is not followed for ever. */
const LONGEST = 100_000;

function findUnknown(pieces: readonly Piece[]): number {
  let length = 0;
  return pieces.findIndex((piece) => {
    length += piece.text?.length ?? 0;
    return piece.text === null || length > LONGEST;
  });
}

/** Makes one argument of the pieces of a word. */
export function joinPieces(text: string, pieces: readonly Piece[]): Argument {
  const firstUnknown = findUnknown(pieces);
  const known = firstUnknown < 0 ? pieces : pieces.slice(0, firstUnknown);
  const start = known.map((piece) => piece.text ?? '').join('');
  const unknowns = pieces.filter((piece) => piece.text === null);
  const isTooLong = firstUnknown >= 0 && unknowns.length === 0;
  const isGlob = pieces.some((piece) => piece.isGlob === true);
  return {
    text,
    value: firstUnknown < 0 ? start : null,
    start,
    isNumber: unknowns.length > 0 && unknowns.every((piece) => piece.isNumber === true),
    isDashed: start === '' && pieces.find((piece) => piece.text !== null && piece.text !== '')?.text?.startsWith('-') === true,
    isFigure: pieces.every(({ text: one, isNumber }) => (one === null ? isNumber === true : /^-?\d*$/.test(one))),
    isHash: unknowns.length > 0 && unknowns.every((piece) => piece.isNumber === true || piece.isHash === true),
    isSplit: unknowns.some((piece) => !piece.isQuoted && piece.isNumber !== true) || isTooLong,
    isGlob,
    ...(isGlob && firstUnknown < 0 ? { pattern: pieces.map(toPattern).join('') } : {}),
    isDisguised: pieces.some((piece) => piece.isDisguised === true),
    hasOutput: pieces.some((piece) => piece.hasOutput === true),
    ...(pieces.some((piece) => piece.isRemote === true) ? { isRemote: true } : {}),
    feed: pieces.reduce<Feed | undefined>((feed, piece) => wider(feed, piece.feed), undefined),
    isSecret: pieces.some((piece) => piece.isSecret === true),
    isExtended: pieces.some((piece) => piece.isExtended === true),
  };
}

function toPattern({ text, isGlob }: Piece): string {
  return isGlob === true ? (text ?? '') : (text ?? '').replace(/[\\*?[\]]/g, '\\$&');
}

/**
 * What a text is that other commands take for names of files: names of what is there, some of it
 * outside of the project, or words that stand in a file, which may name anything.
 */
export type Feed = 'names' | 'beyond' | 'text';

const FEEDS: readonly Feed[] = ['names', 'beyond', 'text'];

/** Of what kind words are that are not known: digits, or names of objects that begin as no option does. */
export type WordKind = 'number' | 'hash';

/** The one that may name more; undefined is nothing. */
export function wider(one: Feed | undefined, other: Feed | undefined): Feed | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return FEEDS.indexOf(one) >= FEEDS.indexOf(other) ? one : other;
}

/** Where the standard input of a command comes from. */
export interface Input {
  /** A pipe, a file or a here-document; false for whatever the line was given. */
  readonly isGiven: boolean;
  /** What is read, when the text tells. */
  readonly text: string | null;
  /** The file that it is, where a redirection names it. */
  readonly path?: string | undefined;
  /** Programs in the pipeline before, by name. */
  readonly programs: readonly string[];
  /** The text was written in numbers of characters. */
  readonly isEscaped: boolean;
  /** False where it is more than lines of files, or of a text that the line shows. */
  readonly isList?: boolean | undefined;
  /** It is what another machine sends. */
  readonly isRemote?: boolean | undefined;
  /** Where the search before it in the pipeline begins, and nothing narrows it or it lies beyond the project. */
  readonly found?: string | undefined;
  /** What kind of text it is, for who takes it for names of files; undefined where nothing was listed. */
  readonly feed?: Feed | undefined;
  /** Of what kind all words of it are. */
  readonly kind?: WordKind | null | undefined;
  /** Something before it in the pipeline reads credentials. */
  readonly isSecret: boolean;
}

/** Commands that shells have themselves, as their manuals list them. */
export const BUILTIN_COMMANDS =
  'alias bg bind builtin cd command declare dirs disown echo eval exec export fg getopts hash jobs kill let local logout ' +
  'mapfile popd printf pushd pwd read readonly set shift shopt source test times trap type typeset ulimit umask unalias unset wait';

/** What every shell knows without a program. */
export const SHELL_WORDS: ReadonlySet<string> = new Set(
  `${BUILTIN_COMMANDS} . : [ [[ { case exit false fc for function if select time true until while`.split(' '),
);
