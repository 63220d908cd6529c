import {
  ContextTooLongError,
  classifyFault,
  type FaultKind,
  readOverflow,
  toDelayReason,
} from '../../core/model/fault-kind.ts';
import type { Setback } from '../../core/model/retry-policy.ts';
import { type AnswerFault, toShownUrl } from '../../core/model/server-fault.ts';
import { sanitizeText } from '../../core/text/sanitize.ts';
import { AishError, errorCode } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import * as messages from './messages.ts';
import { isLoopback, type ModelEndpoint, nearestModels } from './models.ts';

/** Why aish ended a request before its response was complete. */
export type Stopped = 'aborted' | 'first-byte' | 'idle' | 'barren' | null;

/** A failed request to a model. */
export class ModelFault extends AishError {
  /** Why the same request may succeed later; null if it may not, or if a part of the answer has come. */
  readonly setback: Setback | null;
  /** One line of the server's own words. */
  readonly said: string;
  /** The refusal of the request, which may teach something; null if a part of the answer has come, or no server answered. */
  readonly refusal: AnswerFault | null;

  constructor(error: AishError, setback: Setback | null, said: string, refusal: AnswerFault | null = null) {
    super(error.code, error.message, omitUndefined({ hint: error.hint, cause: error.cause }));
    this.setback = setback;
    this.said = said;
    this.refusal = refusal;
  }
}

/** A response that failed. */
export interface FailedResponse {
  readonly fault: AnswerFault;
  /** A part of the answer has come, so the request is not sent again. */
  readonly hasBegun: boolean;
}

/** The error for a failed response. `listNames` runs only if the server does not know the model. */
export async function toModelError(
  { fault, hasBegun }: FailedResponse,
  endpoint: ModelEndpoint,
  listNames: () => Promise<readonly string[]>,
): Promise<AishError> {
  const said = toLine(fault.message, endpoint);
  const kind = classifyFault(fault);
  const isMissing = kind === 'model-missing' || kind === 'path-missing';
  const error = explain(kind, fault, said, isMissing ? await listNames() : [], endpoint);
  if (error instanceof ContextTooLongError) return error;
  const reason = hasBegun ? null : toDelayReason(kind);
  const setback = reason === null ? null : { reason, ...omitUndefined({ retryAfterMs: fault.retryAfterMs }) };
  return new ModelFault(error, setback, said, hasBegun ? null : fault);
}

/** The error for a request that got no response, or that was stopped. */
export function toNetworkError(thrown: unknown, endpoint: ModelEndpoint, stopped: Stopped): AishError {
  const server = toShownUrl(endpoint.baseUrl);
  if (stopped === 'aborted') return messages.aborted();
  if (stopped !== null) {
    const { firstByteMs, idleMs, barrenMs } = endpoint.timeouts;
    const limits = { 'first-byte': firstByteMs, idle: idleMs, barren: barrenMs };
    return messages.timedOut(endpoint.name, server, stopped, limits[stopped]);
  }
  const code = errorCode(thrown);
  const detail = toLine(thrown instanceof Error ? thrown.message : String(thrown), endpoint);
  if (code === 'ECONNREFUSED' || code === 'ConnectionRefused') {
    const isOnThisMachine = isLoopback(endpoint.baseUrl);
    // Elsewhere a closed port stays closed; on this machine a server may just be starting.
    const setback = isOnThisMachine ? ({ reason: 'connection-refused' } as const) : null;
    return new ModelFault(messages.refusedConnection(server, isOnThisMachine), setback, '');
  }
  if (/ENOTFOUND|EAI_|DNS/i.test(code)) return messages.unknownHost(new URL(endpoint.baseUrl).hostname);
  if (/CERT|EPROTO|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/i.test(code)) return messages.insecure(server, detail);
  if (/ECONNRESET|ECONNABORTED|EPIPE|ConnectionClosed/.test(code))
    return new ModelFault(messages.connectionClosed(server), { reason: 'connection-lost' }, '');
  if (code === 'Malformed_HTTP_Response') return messages.notAModelServer(server, messages.NOT_HTTP);
  return messages.unreachable(server, detail);
}

/** One line of a server's message that is safe to show: no control characters, no key, not too long. */
export function toLine(text: string, endpoint: Pick<ModelEndpoint, 'key'>): string {
  const { key } = endpoint;
  // Sanitized first: control characters between the letters of the key would hide it from the search.
  const clean = sanitizeText(text);
  const hidden = key !== null && key.length >= 4 ? clean.replaceAll(key, '[key]') : clean;
  const jinja = /Jinja Exception: ([^\n]+)/.exec(hidden)?.[1];
  const line = (jinja ?? hidden).replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299).replace(/\p{Cs}/gu, '')}…` : line;
}

function explain(
  kind: FaultKind,
  fault: AnswerFault,
  said: string,
  names: readonly string[],
  endpoint: ModelEndpoint,
): AishError {
  const server = toShownUrl(endpoint.baseUrl);
  const { name, key, keyEnv } = endpoint;
  switch (kind) {
    case 'incomplete':
      return messages.responseEnded(server);
    case 'no-content':
      return messages.noContent(server, said);
    case 'not-a-model-server':
      return messages.notAModelServer(server, said);
    case 'malformed':
      return messages.responseDamaged(server, said);
    case 'too-large':
      return messages.tooLarge(server, said);
    case 'connection-lost':
      return messages.connectionClosed(server);
    case 'connection-refused':
      return messages.refusedConnection(server, isLoopback(endpoint.baseUrl));
    case 'loading':
      return messages.stillLoading(server);
    case 'context-too-long':
      return explainContext(fault, said, endpoint);
    case 'template':
      return messages.templateRefused(said);
    case 'unauthorized':
      return messages.unauthorized({ name, keyEnv, hasKey: key !== null }, server, fault.status ?? 401, said);
    case 'forbidden':
      return messages.forbidden(server, said, key === null ? undefined : keyEnv);
    case 'filtered':
      return messages.requestFiltered(server, said);
    case 'region':
      return messages.regionRefused(server, fault.status ?? 403, said);
    case 'no-credit':
      return messages.noCredit(server, fault.status ?? 402, said);
    case 'quota-used':
      return messages.quotaReached(server, said);
    case 'path-missing':
    case 'model-missing':
      return explainMissing(kind, fault, said, names, endpoint);
    case 'rate-limited':
      return messages.rateLimited(server, said, fault.retryAfterMs);
    case 'timed-out':
    case 'overloaded':
    case 'unavailable':
    case 'server-error':
    case 'stream-error':
      return fault.status === undefined
        ? messages.streamFailed(server, said)
        : messages.serverFailed(server, fault.status, said);
    case 'redirected':
      return messages.redirected(server, fault.status ?? 300);
    case 'refused':
      return messages.requestRefused(server, fault.status ?? 400, said);
  }
}

/** Some servers answer 404 where the path is wrong, and some where they know the model but do not run it. */
function explainMissing(
  kind: 'model-missing' | 'path-missing',
  { status = 404 }: AnswerFault,
  said: string,
  names: readonly string[],
  endpoint: ModelEndpoint,
): AishError {
  const server = toShownUrl(endpoint.baseUrl);
  const model = endpoint.model ?? endpoint.name;
  if (kind === 'path-missing') return messages.pathMissing(server, status, said);
  if (names.includes(model)) return messages.modelNotLoaded(server, model, status, said);
  const near = nearestModels(model, names);
  const shown = [...new Set([...near, ...names])].slice(0, 10);
  return messages.modelNotFound(
    server,
    model,
    { status, said },
    { names: shown.map((name) => toLine(name, endpoint)), more: names.length - shown.length },
  );
}

function explainContext(fault: AnswerFault, said: string, endpoint: ModelEndpoint): AishError {
  const { promptTokens, contextTokens: windowTokens } = fault;
  const isTold = promptTokens !== undefined && windowTokens !== undefined;
  const overflow = isTold ? { promptTokens, windowTokens } : readOverflow(fault.message);
  return messages.contextTooLong(endpoint.name, said, overflow);
}
