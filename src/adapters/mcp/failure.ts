import { sanitizeLine } from '../../core/text/sanitize.ts';
import { AishError, errorCode } from '../../protocol/error.ts';
import { isJsonObject, parseJson, parseJsonObject } from '../../protocol/json.ts';
import { redact } from './credentials.ts';
import type { Sdk } from './http-transport.ts';
import { AnswerLost } from './http-transport.ts';
import * as messages from './messages.ts';

/** A server's answer was a JSON-RPC error: it understood the request and refused it. */
export class McpRpcError extends AishError {
  /** The code of the JSON-RPC error, e.g. -32601. */
  readonly rpcCode: number;

  constructor(message: string, rpcCode: number, options: { hint?: string; cause?: unknown } = {}) {
    super('mcp.rpc', message, options);
    this.name = 'McpRpcError';
    this.rpcCode = rpcCode;
  }
}

/** A connection that could not be opened, with what the server said about it: the best explanation there is. */
export class OpenFailure extends Error {
  readonly thrown: unknown;
  readonly lastWords: string;
  /** The server's process ended during the handshake. */
  readonly hasExited: boolean;

  constructor(thrown: unknown, lastWords: string, hasExited: boolean) {
    super(lastWords);
    this.thrown = thrown;
    this.lastWords = lastWords;
    this.hasExited = hasExited;
  }
}

/** The action that failed; `calling` means that the tool may have run. */
export interface FailureContext {
  readonly sdk: Sdk;
  readonly alias: string;
  readonly doing: messages.Doing;
  /** The address or the command line, fit to be shown. */
  readonly place: string;
  /** End of what the server said beside the protocol. */
  readonly lastWords: string;
  readonly secrets: readonly string[];
  readonly signal: AbortSignal;
}

const REFUSED = [
  'ConnectionRefused',
  'ECONNREFUSED',
  'FailedToOpenSocket',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UnableToConnect',
  'ENETUNREACH',
  'EHOSTUNREACH',
];
const LONGEST_WORDS = 1000;
const LONGEST_DATA = 500;

/** Turns whatever the SDK or the transport threw into an error that says what, why and what to do. No secret passes. */
export function toMcpError(thrown: unknown, context: FailureContext): AishError {
  const opening = thrown instanceof OpenFailure ? thrown : null;
  const error =
    opening === null
      ? classify(thrown, context)
      : classify(opening.thrown, { ...context, lastWords: opening.lastWords });
  // One line: rows of a server's words could pass for those of aish.
  const clean = (text: string): string => redact(sanitizeLine(text), context.secrets);
  const hint = error.hint === undefined ? {} : { hint: clean(error.hint) };
  // The cause stays behind: it may hold request headers, and everything worth telling is in the message.
  if (error instanceof McpRpcError) return new McpRpcError(clean(error.message), error.rpcCode, hint);
  return new AishError(error.code, clean(error.message), hint);
}

/** True when the server said that it does not know our session (any more): it did nothing, so asking again is safe. */
export function isSessionLost(sdk: Sdk, thrown: unknown): boolean {
  if (!sdk.SdkHttpError.isInstance(thrown)) return false;
  return thrown.status === 404 || (thrown.status === 400 && /session/i.test(thrown.message));
}

/** True when nothing reached the server: it did not take the connection. */
export function isRefused(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth += 1)
    if (REFUSED.includes(errorCode(error))) return true;
  return false;
}

/** True when the connection cannot be used for anything more. */
export function isConnectionLost(sdk: Sdk, thrown: unknown): boolean {
  if (thrown instanceof AishError) return thrown.code === 'mcp.closed';
  if (sdk.SdkError.isInstance(thrown))
    return thrown.code === sdk.SdkErrorCode.ConnectionClosed || thrown.code === sdk.SdkErrorCode.NotConnected;
  return isRefused(thrown);
}

function classify(thrown: unknown, context: FailureContext): AishError {
  const { sdk, alias, signal } = context;
  if (signal.aborted) return messages.stopped(alias);
  if (thrown instanceof AishError)
    return new AishError(thrown.code, `server "${alias}": ${thrown.message}`, toHint(thrown.hint));
  if (sdk.ProtocolError.isInstance(thrown)) {
    if (thrown.data instanceof AnswerLost) return toLost(context, thrown.data);
    return refusal(context, thrown);
  }
  if (sdk.InsufficientScopeError.isInstance(thrown))
    return messages.tokenLacksScope(alias, context.place, thrown.requiredScope ?? '');
  if (sdk.UnauthorizedError.isInstance(thrown)) return messages.unauthorized(alias, context.place, 401);
  if (sdk.SdkHttpError.isInstance(thrown)) return httpFailure(context, thrown);
  if (sdk.SdkError.isInstance(thrown)) return sdkFailure(context, thrown.code, thrown.message);
  // The response is not JSON, or not JSON-RPC.
  if (thrown instanceof SyntaxError || (thrown instanceof Error && 'issues' in thrown))
    return messages.brokeProtocol(alias, context.doing, messages.NOT_JSON_RPC);
  // Its values are nested deeper than this program can follow.
  if (thrown instanceof RangeError) return messages.brokeProtocol(alias, context.doing, messages.TOO_DEEP);
  return networkFailure(context, thrown);
}

/** The words and the data of a JSON-RPC error. */
function refusal(context: FailureContext, error: { code: number; message: string; data?: unknown }): McpRpcError {
  const { alias, doing, lastWords } = context;
  const data = error.data === undefined ? '' : clip(JSON.stringify(error.data) ?? '', LONGEST_DATA);
  const said = [clip(error.message, LONGEST_WORDS), data].filter((part) => part !== '').join(' ');
  const words = doing === 'connecting' && lastWords !== '' ? ` (${lastWords})` : '';
  return new McpRpcError(`${messages.formatRefusal(alias, said, error.code)}${words}`, error.code);
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

function sdkFailure(context: FailureContext, code: string, message: string): AishError {
  const { sdk, alias, doing, place, lastWords } = context;
  const said = lastWords === '' ? '' : `; ${lastWords}`;
  if (code === sdk.SdkErrorCode.RequestTimeout) return messages.timedOut(alias, doing, said, place);
  const lost: readonly string[] = [
    sdk.SdkErrorCode.ConnectionClosed,
    sdk.SdkErrorCode.NotConnected,
    sdk.SdkErrorCode.SendFailed,
  ];
  if (lost.includes(code)) return closed(context, lastWords || messages.CONNECTION_CLOSED);
  if (code === sdk.SdkErrorCode.ClientHttpUnexpectedContent)
    return messages.brokeProtocol(alias, doing, messages.NOT_JSON_RPC);
  if (code === sdk.SdkErrorCode.CapabilityNotSupported)
    return messages.brokeProtocol(alias, doing, messages.NOT_OFFERED);
  return messages.brokeProtocol(alias, doing, `${toWords(message)}${said}`);
}

/** The message of an error of the SDK; it holds the faults of a result as JSON. */
export function toWords(message: string): string {
  const [, head = '', json = ''] = /^(.*?: )?(\[\s[\s\S]*\])$/.exec(message) ?? [];
  const issues = json === '' ? null : parseJson(json);
  if (!Array.isArray(issues)) return clip(message, LONGEST_WORDS);
  const faults = issues.filter(isJsonObject).map(({ path, message: fault }) => {
    return `${Array.isArray(path) ? path.join('.') : ''}: ${String(fault)}`;
  });
  return clip(`${head}${faults.join('; ')}`, LONGEST_WORDS);
}

function toLost(context: FailureContext, { why, error }: AnswerLost): AishError {
  return error === null ? closed(context, why) : classify(error, context);
}

function closed({ alias, doing, place }: FailureContext, why: string): AishError {
  return messages.lostWhile(alias, doing, why, place);
}

function httpFailure(
  context: FailureContext,
  { status, message, data }: { status: number; message: string; data: { readonly [key: string]: unknown } },
): AishError {
  if (status === 401 || status === 403) return messages.unauthorized(context.alias, context.place, status);
  // Only the SDK knows where a redirect leads. Otherwise the body counts.
  const [, target] = /: (Redirect to \S+) not followed/.exec(message) ?? [];
  const words = (target ?? (typeof data.text === 'string' ? data.text : '')).trim();
  const { error } = parseJsonObject(words) ?? {};
  if (isJsonObject(error) && typeof error.code === 'number' && typeof error.message === 'string')
    return refusal(context, { code: error.code, message: error.message, data: error.data });
  // A page for a browser explains nothing in one line.
  const detail = words.startsWith('<') ? '' : words.replace(/\s+/g, ' ').slice(0, 300);
  return messages.httpFailed(context.alias, context.place, status, detail);
}

function networkFailure(context: FailureContext, thrown: unknown): AishError {
  const { alias, place, doing } = context;
  const why = describeNetwork(thrown);
  if (doing === 'calling' && !isRefused(thrown)) return closed(context, why);
  // Errors of the network have a code. This one is a verdict of the SDK, such as the one on a version.
  if (errorCode(thrown) === '') return messages.brokeProtocol(alias, doing, why);
  return messages.unreachable(alias, place, why);
}

function describeNetwork(thrown: unknown): string {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth += 1) {
    const known = messages.NETWORK[errorCode(error)];
    if (known !== undefined) return known;
  }
  return messages.withoutAdvice(thrown instanceof Error ? thrown.message : String(thrown));
}

function toHint(hint: string | undefined): { hint?: string } {
  return hint === undefined ? {} : { hint };
}
