/** The colours of an answer: the capabilities of the requesting terminal, and its user's choice. */
export interface ShownTheme {
  readonly colour: boolean;
  readonly name: 'auto' | 'light' | 'dark' | 'none';
  /** The background of the terminal; null if unknown. */
  readonly background: 'light' | 'dark' | null;
  /** The terminal supports exact colours, not only its own sixteen. */
  readonly exact: boolean;
  /** Symbols are replaced by words. */
  readonly words: boolean;
}

/** A request for the output of a read-only meta-command. */
export interface ShowRequest {
  /** The line as typed, with its colon. */
  readonly line: string;
  /** Width of the window. */
  readonly columns: number;
  /** No colours if absent. */
  readonly theme?: ShownTheme | undefined;
}

/** The kind of a word that the shell would run. */
export type WordKind = 'alias' | 'function' | 'builtin' | 'keyword' | 'file';

/** The names that a shell knows. */
export interface ShellNames {
  readonly commands: ReadonlyMap<string, WordKind>;
  /** Aliases with their values. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly variables: readonly string[];
}

/** A job of a shell, for clients. */
interface ShellJob {
  readonly number: number;
  readonly state: 'running' | 'stopped';
  readonly line: string;
}

/** The place of the session's shell. */
export interface ShellPlace {
  /** The shell's directory; before the shell starts, its initial directory. */
  readonly cwd: string;
  readonly jobs: readonly ShellJob[];
}

interface Questions {
  /** The output of a read-only meta-command. */
  readonly show: { readonly request: ShowRequest };
  readonly names: object;
  /** Those of the words that the shell would run. */
  readonly words: { readonly words: readonly string[] };
  /** The place of the shell. */
  readonly place: object;
}

/** The types of queries. */
export type QueryType = keyof Questions;

/** A query of one type. */
export type QueryOf<T extends QueryType> = { readonly type: T } & Questions[T];

/** A query from a client to a session. A query changes nothing, and an answer contains no known secret. */
export type Query = { [T in QueryType]: QueryOf<T> }[QueryType];

/** The answers by type of query. `names` and `words` are null while the session has no shell. */
export interface Answers {
  readonly show: string;
  readonly names: ShellNames | null;
  readonly words: ReadonlySet<string> | null;
  readonly place: ShellPlace;
}

/** The handlers of all types of queries. */
export type QueryAnswers = { readonly [T in QueryType]: (query: QueryOf<T>) => Promise<Answers[T]> };

/** Columns and rows of a terminal. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}
