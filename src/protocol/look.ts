/** How what a look shows is to be coloured: what the terminal of the one who looks can do, and what they chose. */
export interface LookTheme {
  readonly colour: boolean;
  readonly name: 'auto' | 'light' | 'dark' | 'none';
  /** Of the terminal; null where nobody knows. */
  readonly background: 'light' | 'dark' | null;
  /** The terminal takes exact colours, not only its own sixteen. */
  readonly exact: boolean;
  /** Everything is said in words. */
  readonly words: boolean;
}

/** Somebody at a seat would like to see what a meta-command says that only looks. */
export interface LookRequest {
  /** As it was typed, with its colon. */
  readonly line: string;
  /** Width of the window. */
  readonly columns: number;
  /** Without it there are no colours. */
  readonly theme?: LookTheme | undefined;
}
