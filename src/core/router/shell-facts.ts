/** What the live shell and its directory know, as data for the router. */
export interface ShellFacts {
  readonly shell: 'bash' | 'zsh';
  /** Whether a first word exists: keyword, builtin, alias, function or executable. */
  knows(word: string): boolean;
  /** Whether several words are a known subcommand or target, such as `make love`, `git recent` or `npm run x`. */
  knowsCall(words: string): boolean;
  /** Whether the name is in the current directory; null where nothing is known of its files. */
  hasFile(name: string): boolean | null;
  /** Exit status of the previous command. It alone moves no line to another route. */
  readonly lastExit: number;
}
