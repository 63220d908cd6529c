/** A word of a command after expansion, as far as the text determines it. */
export interface Argument {
  /** The word as it was typed, for use in reasons. */
  readonly text: string;
  /** Null if a part of the word is unknown. */
  readonly value: string | null;
  /** The known beginning of the word. */
  readonly start: string;
  /** The unknown part consists of digits. */
  readonly isNumber: boolean;
  /** A dash follows the unknown part: if that part expands to nothing, the word is an option. */
  readonly isDashed?: boolean;
  /** The word consists of digits only, some of them unknown. */
  readonly isFigure?: boolean;
  /** The unknown part consists of digits and object names. */
  readonly isHash?: boolean;
  /** An unknown part is unquoted, so it may expand to several words or none. */
  readonly isSplit: boolean;
  readonly isGlob: boolean;
  /** The pattern of a fully known glob. Quoted characters are escaped with a backslash. */
  readonly pattern?: string;
  /** The word was written in a way that hides its meaning. */
  readonly isDisguised: boolean;
  /** The word comes from a brace expansion. */
  readonly isBraced?: boolean;
  /** The word is assembled from variables and other text. */
  readonly isAssembled?: boolean;
  /** The word is one of several that a value was split into. */
  readonly isValue?: boolean;
  /** The word comes from the input of another command, as with xargs, so it may be an option. */
  readonly isFed?: boolean;
  /** The word is a complete line of a file, or of text visible in the line. No output of a command is sent elsewhere with it. */
  readonly isListed?: boolean;
  /** Represents any word that xargs reads. It is classified next to all of them, and no effect applies to it alone. */
  readonly isStandIn?: boolean;
  /** The word represents the results of the enclosing search. */
  readonly isFound?: boolean;
  /** The word contains data from another machine. */
  readonly isRemote?: boolean;
  /** The word contains the output of another command. */
  readonly hasOutput: boolean;
  /** The kind of text this word was read from or printed by. */
  readonly feed?: Feed | undefined;
  /** The word contains an extended glob, which bash rejects with the options aish starts it with. */
  readonly isExtended?: boolean;
  /** The word contains a variable whose name suggests a secret. */
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

/** An argument with no known properties. */
export function unknown(text: string): Argument {
  return { ...literal(''), text, value: null, isSplit: true };
}

/** A piece of a word during assembly. */
export interface Piece {
  /** Null if unknown. */
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

/** Longer values are treated as unknown. */
const LONGEST = 100_000;

function findUnknown(pieces: readonly Piece[]): number {
  let length = 0;
  return pieces.findIndex((piece) => {
    length += piece.text?.length ?? 0;
    return piece.text === null || length > LONGEST;
  });
}

/** Joins the pieces of a word into one argument. */
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

/** The kind of text that others take as file names: existing names, some perhaps outside the project, or words that name anything. */
export type Feed = 'names' | 'beyond' | 'text';

const FEEDS: readonly Feed[] = ['names', 'beyond', 'text'];

/** The kind of an unknown word: digits, or object names, which never start like an option. */
export type WordKind = 'number' | 'hash';

/** The feed that may name more files; undefined names none. */
export function wider(one: Feed | undefined, other: Feed | undefined): Feed | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return FEEDS.indexOf(one) >= FEEDS.indexOf(other) ? one : other;
}

/** The source of a command's standard input. */
export interface Input {
  /** True for a pipe, a file or a here-document; false for the input of the whole line. */
  readonly isGiven: boolean;
  /** The input text, if the line determines it. */
  readonly text: string | null;
  /** The input file, if a redirection names it. */
  readonly path?: string | undefined;
  /** Names of the programs earlier in the pipeline. */
  readonly programs: readonly string[];
  /** The text was written as character codes. */
  readonly isEscaped: boolean;
  /** False if the input is more than lines of files or text visible in the line. */
  readonly isList?: boolean | undefined;
  /** The input comes from another machine. */
  readonly isRemote?: boolean | undefined;
  /** The start of the preceding search in the pipeline, if the search is unfiltered or lies outside the project. */
  readonly found?: string | undefined;
  /** The kind of text, for commands that take it as file names; undefined if nothing was listed. */
  readonly feed?: Feed | undefined;
  /** The kind of every word in the input. */
  readonly kind?: WordKind | null | undefined;
  /** An earlier command in the pipeline reads credentials. */
  readonly isSecret: boolean;
}

/** Shell builtins, as listed in the manuals of the shells. */
export const BUILTIN_COMMANDS =
  'alias bg bind builtin cd command declare dirs disown echo eval exec export fg getopts hash jobs kill let local logout ' +
  'mapfile popd printf pushd pwd read readonly set shift shopt source test times trap type typeset ulimit umask unalias unset wait';

/** Words that every shell understands without a program. */
export const SHELL_WORDS: ReadonlySet<string> = new Set(
  `${BUILTIN_COMMANDS} . : [ [[ { case exit false fc for function if select time true until while`.split(' '),
);
