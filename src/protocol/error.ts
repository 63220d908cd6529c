/** The facts of an error that may cross the log, the wire and the screen. */
export interface ErrorFact {
  /** Dotted and stable, such as `model.unauthorized`. Programs and tests read the code, users the message. */
  readonly code: string;
  /** The failure and its reason, in one line. */
  readonly message: string;
  /** The next step for the reader. */
  readonly hint?: string;
}

/** A failure outside aish: a server is down, a token is wrong, the disk is full. It has a message, a reason and a hint. */
export class AishError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AishError';
    this.code = code;
    this.hint = options.hint;
  }
}

/** The facts of a thrown value. Any value but an AishError is a bug and has the code `internal`. */
export function toErrorFact(thrown: unknown): ErrorFact {
  if (thrown instanceof AishError) {
    const fact = { code: thrown.code, message: thrown.message };
    return thrown.hint === undefined ? fact : { ...fact, hint: thrown.hint };
  }
  return { code: 'internal', message: thrown instanceof Error ? thrown.message : String(thrown) };
}

/** Two lines for a terminal: the message, then the hint. */
export function formatError(error: ErrorFact): string {
  return error.hint === undefined ? error.message : `${error.message}\n  ${error.hint}`;
}

/** The code of a thrown error, such as `ENOENT`; empty without a code. */
export function errorCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
