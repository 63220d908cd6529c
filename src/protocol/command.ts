/** Who typed a command: the user, or the model through an approved call. */
export type Driver = 'user' | 'model';

/** A line of an output, by its number from 1. */
export interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

/** The middle of an output, where a record leaves it out. */
export interface OutputGap {
  /** Where in `output` the note about it begins and ends. */
  readonly from: number;
  readonly to: number;
  /** Lines left out. */
  readonly lines: number;
  /** Those among them that look like errors, bounded. */
  readonly errors: readonly NumberedLine[];
}

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
  /** The user answered a question of it whose answer is not shown, such as one for a password. */
  readonly answered?: true;
  /** Number of its output in the session, `%12`; absent in older logs and where nothing is kept. */
  readonly handle?: number;
  /** Absent where `output` is whole. */
  readonly gap?: OutputGap;
  /** It ran in a sandbox, apart from the shared shell. */
  readonly sandboxed?: true;
  /** Kept from model and disk: line and output are empty. */
  readonly private?: true;
  /** aish ended while it ran: how it ended, and what it printed, nobody saw. */
  readonly cutShort?: true;
}
