/** Who stopped everything: a person, the end of the terminal, or a signal to the program. */
export type HaltedBy = 'person' | 'terminal' | 'signal';

/** One thing that was going on when everything was stopped. */
export interface HaltedWork {
  readonly what: 'request' | 'question' | 'call' | 'command' | 'checkpoint' | 'restore' | 'rehearsal';
  /** The tool of a call, or the line of a command or a rehearsal. */
  readonly name?: string;
}

/** A process that could not be ended. */
export interface LeftProcess {
  readonly pid: number;
  readonly name: string;
}

/** What became of the processes that the model's work had started. */
export interface HaltReport {
  /** How many are gone. */
  readonly ended: number;
  /** Those that outlived SIGKILL, or belong to somebody else. */
  readonly left: readonly LeftProcess[];
  /** MCP servers that did not answer any more and were ended. */
  readonly servers?: readonly string[];
  /** The shared shell would not come back to its prompt and was ended too. */
  readonly shellEnded?: true;
}
