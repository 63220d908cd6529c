/** How the answer to a query is coloured: what the terminal that asks can do, and what its user chose. */
export interface ShownTheme {
  readonly colour: boolean;
  readonly name: 'auto' | 'light' | 'dark' | 'none';
  /** Of the terminal; null where it is not known. */
  readonly background: 'light' | 'dark' | null;
  /** The terminal takes exact colours, not only its own sixteen. */
  readonly exact: boolean;
  /** Nothing is drawn: everything is written in words. */
  readonly words: boolean;
}

/** A meta-command that only reads, whose output is asked for. */
export interface ShowRequest {
  /** As it was typed, with its colon. */
  readonly line: string;
  /** Width of the window. */
  readonly columns: number;
  /** Without it there are no colours. */
  readonly theme?: ShownTheme | undefined;
}

/** What a word is to a shell that would run it. */
export type WordKind = 'alias' | 'function' | 'builtin' | 'keyword' | 'file';

/** What a shell has names for. */
export interface ShellNames {
  readonly commands: ReadonlyMap<string, WordKind>;
  /** What aliases stand for. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly variables: readonly string[];
}

/** A job of a shell, as a client sees it. */
interface ShellJob {
  readonly number: number;
  readonly state: 'running' | 'stopped';
  readonly line: string;
}

/** Where the session's shell is. */
export interface ShellPlace {
  /** Its directory; before there is a shell, where it will begin. */
  readonly cwd: string;
  readonly jobs: readonly ShellJob[];
}

interface Questions {
  /** What a meta-command prints that only reads. */
  readonly show: { readonly request: ShowRequest };
  readonly names: object;
  /** Which of these words the shell would run. */
  readonly words: { readonly words: readonly string[] };
  /** Where the shell is. */
  readonly place: object;
}

/** The types of queries. */
export type QueryType = keyof Questions;

/** A query of one type. */
export type QueryOf<T extends QueryType> = { readonly type: T } & Questions[T];

/** What a client may ask of a session. No query changes anything, and no answer holds a known secret. */
export type Query = { [T in QueryType]: QueryOf<T> }[QueryType];

/** The answers, by the type of the query. `names` and `words` are null while the session has no shell. */
export interface Answers {
  readonly show: string;
  readonly names: ShellNames | null;
  readonly words: ReadonlySet<string> | null;
  readonly place: ShellPlace;
}

/** What answers each type of query. */
export type QueryAnswers = { readonly [T in QueryType]: (query: QueryOf<T>) => Promise<Answers[T]> };

/** Columns and rows of a terminal. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}
