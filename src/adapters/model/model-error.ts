import { readOverflow, saysTooLong } from '../../core/context/overflow.ts';
import { type AnswerFault, toShownUrl } from '../../core/model/server-fault.ts';
import { sanitizeText } from '../../core/text/sanitize.ts';
import { type AishError, errorCode } from '../../protocol/error.ts';
import * as messages from './messages.ts';
import { isLoopback, type ModelEndpoint, nearestModels } from './models.ts';

/** Why aish ended a request before its response was complete. */
export type Stopped = 'aborted' | 'first-byte' | 'idle' | 'barren' | null;

/** The error for a failed response. `listNames` runs only if the server does not know the model. */
export async function toModelError(
  fault: AnswerFault,
  endpoint: ModelEndpoint,
  listNames: () => Promise<readonly string[]>,
): Promise<AishError> {
  const said = toLine(fault.message, endpoint);
  const names = isMissing(fault) ? await listNames() : [];
  return explain(fault, said, names, endpoint);
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
  if (code === 'ECONNREFUSED' || code === 'ConnectionRefused')
    return messages.refusedConnection(server, isLoopback(endpoint.baseUrl));
  if (/ENOTFOUND|EAI_|DNS/i.test(code)) return messages.unknownHost(new URL(endpoint.baseUrl).hostname);
  if (/CERT|EPROTO|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/i.test(code)) return messages.insecure(server, detail);
  if (code === 'ECONNRESET') return messages.connectionClosed(server);
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

function explain(fault: AnswerFault, said: string, names: readonly string[], endpoint: ModelEndpoint): AishError {
  const server = toShownUrl(endpoint.baseUrl);
  if (fault.kind === 'incomplete_stream') return explainIncomplete(fault, said, server);
  if (fault.kind === 'too_large') return messages.tooLarge(server, said);
  if (fault.kind === 'malformed_chunk') {
    return fault.type === 'not_json' ? messages.notAModelServer(server, said) : messages.responseDamaged(server, said);
  }
  if (isLoading(fault)) return messages.stillLoading(server);
  if (isContextTooLong(fault)) return explainContext(fault, said, endpoint);
  if (isTemplateError(fault)) return messages.templateRefused(said);
  return explainStatus(fault, said, names, endpoint);
}

function explainStatus(fault: AnswerFault, said: string, names: readonly string[], endpoint: ModelEndpoint): AishError {
  const server = toShownUrl(endpoint.baseUrl);
  const status = fault.status ?? toClientStatus(fault.code);
  if (status === 401 || status === 403) {
    const { name, key, keyEnv } = endpoint;
    return messages.unauthorized({ name, keyEnv, hasKey: key !== null }, server, status, said);
  }
  if (isMissing(fault)) return explainMissing(said, names, endpoint);
  if (status === 429) return messages.rateLimited(server, said, fault.retryAfterMs);
  if (status >= 300 && status < 400) return messages.redirected(server, status);
  if (status >= 500) return messages.serverFailed(server, status, said);
  return status >= 400 ? messages.requestRefused(server, status, said) : messages.streamFailed(server, said);
}

/** An error inside a stream that began well may carry the status it would have had; 200 if that is no status of a client's fault. */
function toClientStatus(code: AnswerFault['code']): number {
  return typeof code === 'number' && code >= 400 && code < 500 ? code : 200;
}

function explainMissing(said: string, names: readonly string[], endpoint: ModelEndpoint): AishError {
  const near = nearestModels(endpoint.model ?? '', names);
  const shown = [...new Set([...near, ...names])].slice(0, 10);
  return messages.modelNotFound(toShownUrl(endpoint.baseUrl), endpoint.model ?? endpoint.name, said, {
    names: shown.map((name) => toLine(name, endpoint)),
    more: names.length - shown.length,
  });
}

function explainContext(fault: AnswerFault, said: string, endpoint: ModelEndpoint): AishError {
  const { promptTokens, contextTokens: windowTokens } = fault;
  const isTold = promptTokens !== undefined && windowTokens !== undefined;
  const overflow = isTold ? { promptTokens, windowTokens } : readOverflow(fault.message);
  return messages.contextTooLong(endpoint.name, said, overflow);
}

function explainIncomplete({ type }: AnswerFault, said: string, server: string): AishError {
  if (type === 'no_content') return messages.noContent(server, said);
  return type === 'no_choices' ? messages.notAModelServer(server, said) : messages.responseEnded(server);
}

/** True while the server loads its model: it will respond soon. */
export function isLoading(fault: AnswerFault): boolean {
  return fault.status === 503 && /loading/i.test(fault.message);
}

function isMissing(fault: AnswerFault): boolean {
  if (fault.status === 404) return true;
  const named = fault.code === 'model_not_found' || fault.type === 'model_not_found';
  return (
    fault.status !== undefined &&
    fault.status < 500 &&
    (named || /model\b.{0,120}\b(not found|does not exist)/i.test(fault.message))
  );
}

function isContextTooLong(fault: AnswerFault): boolean {
  if (fault.type === 'exceed_context_size_error' || fault.code === 'context_length_exceeded') return true;
  return saysTooLong(fault.message);
}

/** The status differs by version and template, so the server's message decides. */
function isTemplateError(fault: AnswerFault): boolean {
  const refused = fault.status === undefined || [400, 422, 500].includes(fault.status);
  return (
    refused &&
    /jinja|raise_exception|chat template|this template|roles must alternate|system message must be/i.test(fault.message)
  );
}
