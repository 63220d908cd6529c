/** Who typed a command: the person, or the model through an approved call. */
export type Driver = 'person' | 'model';

/** A command that ran in the shared shell. */
export interface CommandRecord {
  readonly line: string;
  readonly driver: Driver;
  /** Exit status; null when the shell ended or was lost before it could tell. */
  readonly exit: number | null;
  /** Directory after the command. */
  readonly cwd: string;
  /** Bounded plain text of what it printed: head and tail, escapes removed. */
  readonly output: string;
  /** Bytes printed in all. */
  readonly bytes: number;
  readonly durationMs: number;
}
