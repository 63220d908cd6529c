/** The origin of a command: the user, or the model through an approved call. */
export type Driver = 'user' | 'model';

/** A line of an output, by its number from 1. */
export interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

/** The middle of an output that a record leaves out. */
export interface OutputGap {
  /** Begin and end of the note about the gap in `output`. */
  readonly from: number;
  readonly to: number;
  /** Lines left out. */
  readonly lines: number;
  /** The lines among them that look like errors, limited in number. */
  readonly errors: readonly NumberedLine[];
}

/** A command that ran in the shared shell. */
export interface CommandRecord {
  readonly line: string;
  readonly driver: Driver;
  /** Exit status; null if the shell ended before it reported one. */
  readonly exit: number | null;
  /** Directory after the command. */
  readonly cwd: string;
  /** Plain text of the output, limited in length: head and tail, without escape sequences. */
  readonly output: string;
  /** Bytes printed in all. */
  readonly bytes: number;
  readonly durationMs: number;
  /** The user typed hidden input, such as a password. */
  readonly answered?: true;
  /** Number of its output in the session, `%12`; absent in older logs and if aish keeps no output. */
  readonly handle?: number;
  /** Absent if `output` is complete. */
  readonly gap?: OutputGap;
  /** The command ran in a sandbox, outside the shared shell. */
  readonly sandboxed?: true;
  /** A private command: line and output are empty. */
  readonly private?: true;
  /** aish ended while the command ran: its result and its output are unknown. */
  readonly cutShort?: true;
  /** No command ran: the output is a place in another session, which the model can read once the user names its handle. */
  readonly recalled?: RecalledPlace;
}

/** The origin of a recalled place. */
interface RecalledPlace {
  /** The id of the session. */
  readonly session: string;
  /** The untrusted content that may be in it; absent without any. */
  readonly untrusted?: readonly string[];
}
