/** Directories that the shell itself names. */
export interface ShellDirectories {
  /** Those of `hash -d`, by their names. */
  readonly named: ReadonlyMap<string, string>;
  /** The directories in which `cd` looks for a relative path, beside the current one. */
  readonly searched: readonly string[];
  /** The stack of `pushd`, the newest first, without the current directory. */
  readonly stack: readonly string[];
  /** Whether `cd`, too, takes numbers of that stack, as in zsh. */
  readonly isStackOfCd: boolean;
}

export const NO_DIRECTORIES: ShellDirectories = { named: new Map(), searched: [], stack: [], isStackOfCd: false };
