import { AishError, type ErrorFact, toErrorFact } from '../../protocol/error.ts';

/** An error with its HTTP status. */
export class HttpError extends AishError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, error: ErrorFact, headers: Readonly<Record<string, string>> = {}) {
    super(error.code, error.message, error.hint === undefined ? {} : { hint: error.hint });
    this.status = status;
    this.headers = headers;
  }
}

/** HTTP statuses of errors from other rooms; other errors are 500. */
const STATUS: Readonly<Record<string, number>> = {
  'session.not-found': 404,
  'session.ambiguous': 400,
  'session.locked': 409,
  'model.unknown': 400,
  'settings.refused': 403,
  'session.stopped': 507,
  'session.closed': 503,
};

/** The JSON response for an error. */
export function toErrorResponse(thrown: unknown): Response {
  const error = toErrorFact(thrown);
  const headers = thrown instanceof HttpError ? thrown.headers : {};
  const status = thrown instanceof HttpError ? thrown.status : (STATUS[error.code] ?? 500);
  return Response.json({ error }, { status, headers });
}

/** The response for a refused op: the session is busy with other work, or accepts no ops any more. */
export function toRefusal(error: ErrorFact): Response {
  return Response.json({ accepted: false, error }, { status: STATUS[error.code] ?? 409 });
}
