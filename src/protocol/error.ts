/** The facts of an error that may cross the log, the wire and the screen. */
export interface ErrorFact {
  /** Dotted and stable, e.g. `model.unauthorized`; tests and programs go by it, users by the message. */
  readonly code: string;
  /** What failed and why, one line. */
  readonly message: string;
  /** What the reader can do about it. */
  readonly hint?: string;
}

/** A failure of the world: a server down, a bad token, a full disk. Says what, why and what to do. */
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

/** The facts of anything thrown; what is no AishError is a bug and says so by its code. */
export function toErrorFact(thrown: unknown): ErrorFact {
  if (thrown instanceof AishError) {
    const fact = { code: thrown.code, message: thrown.message };
    return thrown.hint === undefined ? fact : { ...fact, hint: thrown.hint };
  }
  return { code: 'internal', message: thrown instanceof Error ? thrown.message : String(thrown) };
}

/** Two lines for a terminal: what and why, then what to do. */
export function formatError(error: ErrorFact): string {
  return error.hint === undefined ? error.message : `${error.message}\n  ${error.hint}`;
}

/** The code of a thrown error, such as `ENOENT`; empty where it has none. */
export function errorCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
