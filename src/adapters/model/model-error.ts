import { saysTooLong } from '../../core/context/overflow.ts';
import { type AnswerFault, toShownUrl } from '../../core/model/server-fault.ts';
import { sanitizeText } from '../../core/text/sanitize.ts';
import { AishError, errorCode } from '../../protocol/error.ts';
import { isLoopback, type ModelEndpoint, nearestNames } from './models.ts';

/** Why a request of ours ended before its answer did. */
export type Stopped = 'aborted' | 'first-byte' | 'idle' | 'barren' | null;

interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The error a failed answer is told as. `listNames` is asked only where the server does not know the model. */
export async function toModelError(
  fault: AnswerFault,
  endpoint: ModelEndpoint,
  listNames: () => Promise<readonly string[]>,
): Promise<AishError> {
  const said = toLine(fault.message, endpoint);
  const names = isMissing(fault) ? await listNames() : [];
  const { code, message, hint } = explain(fault, said, names, endpoint);
  return new AishError(code, message, hint === undefined ? {} : { hint });
}

/** The error of a request that got no answer at all, or was stopped. */
export function toNetworkError(thrown: unknown, endpoint: ModelEndpoint, stopped: Stopped): AishError {
  const where = toShownUrl(endpoint.baseUrl);
  const asError = (code: string, message: string, hint: string): AishError => new AishError(code, message, { hint });
  if (stopped === 'aborted') return new AishError('model.aborted', 'the request to the model was stopped');
  if (stopped !== null) return toTimeoutError(endpoint, stopped);
  const code = errorCode(thrown);
  const detail = toLine(thrown instanceof Error ? thrown.message : String(thrown), endpoint);
  if (code === 'ECONNREFUSED' || code === 'ConnectionRefused') {
    return asError('model.unreachable', `nothing answers at ${where}: connection refused`, startHint(endpoint));
  }
  if (/ENOTFOUND|EAI_|DNS/i.test(code)) {
    const host = new URL(endpoint.baseUrl).hostname;
    return asError(
      'model.unknown-host',
      `the host ${host} cannot be found`,
      'check base_url, and that this machine is online',
    );
  }
  if (/CERT|EPROTO|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/i.test(code)) {
    return asError(
      'model.tls',
      `no secure connection to ${where}: ${detail}`,
      'check http against https in base_url, and the certificate',
    );
  }
  if (code === 'ECONNRESET') {
    return asError(
      'model.incomplete',
      `${where} closed the connection without an answer`,
      'ask again; if it stays so, look at the log of the server',
    );
  }
  return asError('model.unreachable', `cannot reach ${where}: ${detail}`, 'check base_url and the network');
}

/** One line of a server's words that is safe to show: no control characters, no key, not too long. */
export function toLine(text: string, endpoint: Pick<ModelEndpoint, 'key'>): string {
  const { key } = endpoint;
  // First, as what stands between the letters of the key would go afterwards.
  const clean = sanitizeText(text);
  const hidden = key !== null && key.length >= 4 ? clean.replaceAll(key, '[key]') : clean;
  const jinja = /Jinja Exception: ([^\n]+)/.exec(hidden)?.[1];
  const line = (jinja ?? hidden).replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299).replace(/\p{Cs}/gu, '')}…` : line;
}

function explain(fault: AnswerFault, said: string, names: readonly string[], endpoint: ModelEndpoint): Explanation {
  const where = toShownUrl(endpoint.baseUrl);
  if (fault.kind === 'incomplete_stream') return explainIncomplete(fault, said, where);
  if (fault.kind === 'too_large')
    return {
      code: 'model.too-large',
      message: `${where}: ${said}`,
      hint: 'ask for less at a time; if that does not help, look at the log of the server',
    };
  if (fault.kind === 'malformed_chunk') return explainMalformed(fault, said, where);
  if (isLoading(fault)) {
    return {
      code: 'model.loading',
      message: `the server at ${where} is still loading its model`,
      hint: 'ask again in a moment',
    };
  }
  if (isContextTooLong(fault)) return explainContext(fault, said, endpoint);
  if (isTemplateError(fault)) {
    return {
      code: 'model.template',
      message: `the chat template of the model refused the conversation: ${said}`,
      hint: 'start the server with a template that knows tools, or use another model',
    };
  }
  return explainStatus(fault, said, names, endpoint);
}

function explainStatus(
  fault: AnswerFault,
  said: string,
  names: readonly string[],
  endpoint: ModelEndpoint,
): Explanation {
  const where = toShownUrl(endpoint.baseUrl);
  const status = fault.status ?? toClientStatus(fault.code);
  if (status === 401 || status === 403) return explainKey(status, said, endpoint);
  if (isMissing(fault)) return explainMissing(said, names, endpoint);
  if (status === 429) {
    const wait =
      fault.retryAfterMs === undefined ? '' : `; it may be asked again in ${Math.ceil(fault.retryAfterMs / 1000)} s`;
    return {
      code: 'model.rate-limited',
      message: `${where} takes no more requests for now: ${said}${wait}`,
      hint: 'wait, or switch with :model',
    };
  }
  if (status >= 300 && status < 400) {
    return {
      code: 'model.redirected',
      message: `${where} points to another address (${status}), which is not followed with your key`,
      hint: 'put the final address into base_url, often https instead of http',
    };
  }
  if (status >= 500) {
    return {
      code: 'model.server-error',
      message: `${where} failed (${status}): ${said}`,
      hint: 'ask again; if it stays so, look at the log of the server',
    };
  }
  if (status >= 400) return { code: 'model.refused', message: `${where} refused the request (${status}): ${said}` };
  return {
    code: 'model.server-error',
    message: `${where} gave up on the answer: ${said}`,
    hint: 'ask again, or use another model',
  };
}

/** An error inside a stream that began well may carry the status it would have had; 200 where it is not the client's. */
function toClientStatus(code: AnswerFault['code']): number {
  return typeof code === 'number' && code >= 400 && code < 500 ? code : 200;
}

function explainKey(status: number, said: string, endpoint: ModelEndpoint): Explanation {
  const where = toShownUrl(endpoint.baseUrl);
  const { key, keyEnv } = endpoint;
  const hint =
    key === null || keyEnv === undefined
      ? `set key_env in [models.${endpoint.name}] to the environment variable that holds the key`
      : `check the key in ${keyEnv}, and what it is allowed to use`;
  return {
    code: 'model.unauthorized',
    message: `${where} does not accept ${key === null ? 'a request without key' : 'this key'} (${status}): ${said}`,
    hint,
  };
}

function explainMissing(said: string, names: readonly string[], endpoint: ModelEndpoint): Explanation {
  const where = toShownUrl(endpoint.baseUrl);
  const message = `${where} does not know model "${endpoint.model ?? endpoint.name}" (404): ${said}`;
  if (names.length === 0)
    return { code: 'model.not-found', message, hint: 'check base_url (it usually ends in /v1) and the name in model' };
  const near = nearestNames(endpoint.model ?? '', names);
  const shown = [...new Set([...near, ...names])].slice(0, 10);
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return {
    code: 'model.not-found',
    message,
    hint: `it has ${shown.map((name) => toLine(name, endpoint)).join(', ')}${more}`,
  };
}

function explainContext(fault: AnswerFault, said: string, endpoint: ModelEndpoint): Explanation {
  const sizes = fault.promptTokens !== undefined && fault.contextTokens !== undefined;
  const message = sizes
    ? `the conversation has ${fault.promptTokens} tokens, but the context of model "${endpoint.name}" holds ${fault.contextTokens}`
    : `the conversation is too long for model "${endpoint.name}": ${said}`;
  return { code: 'model.context-too-long', message, hint: 'begin anew with :new, or give the server a larger context' };
}

function explainIncomplete({ type }: AnswerFault, said: string, where: string): Explanation {
  if (type === 'no_content') {
    return {
      code: 'model.no-content',
      message: `${where} answered with ${said}`,
      hint: 'check base_url; if it is right, look at the log of the server',
    };
  }
  if (type === 'no_choices') {
    return {
      code: 'model.not-json',
      message: `${where} did not answer as a model server does: ${said}`,
      hint: 'check base_url: something else may listen there',
    };
  }
  return {
    code: 'model.incomplete',
    message: `the response stream of ${where} ended unexpectedly; nothing of it was run`,
    hint: 'ask again; what came before is kept',
  };
}

function explainMalformed(fault: AnswerFault, said: string, where: string): Explanation {
  if (fault.type === 'not_json') {
    return {
      code: 'model.not-json',
      message: `${where} did not answer as a model server does: ${said}`,
      hint: 'check base_url: something else may listen there',
    };
  }
  return {
    code: 'model.malformed',
    message: `the answer of ${where} cannot be read: ${said}; nothing of it was run`,
    hint: 'ask again; a proxy in between may have damaged it',
  };
}

function toTimeoutError(endpoint: ModelEndpoint, stopped: 'first-byte' | 'idle' | 'barren'): AishError {
  const { firstByteMs, idleMs, barrenMs } = endpoint.timeouts;
  const limit = { 'first-byte': firstByteMs, idle: idleMs, barren: barrenMs }[stopped];
  const silence = limit >= 1000 ? `${Math.round(limit / 1000)} s` : `${limit} ms`;
  const where = toShownUrl(endpoint.baseUrl);
  const message = {
    'first-byte': `${where} did not begin to answer within ${silence}`,
    idle: `the answer of ${where} stopped coming for ${silence}`,
    barren: `${where} kept the connection open for ${silence} without sending any part of an answer`,
  }[stopped];
  return new AishError('model.timeout', message, {
    hint: `a slow model may need a larger timeout_ms in [models.${endpoint.name}]`,
  });
}

function startHint(endpoint: ModelEndpoint): string {
  return isLoopback(endpoint.baseUrl)
    ? 'start the model server, or correct base_url'
    : 'check base_url and HTTP_PROXY or HTTPS_PROXY, and that the server may be reached from here';
}

/** True while the server loads its model: it will answer soon. */
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

/** Statuses differ by version and template, so the words decide. */
function isTemplateError(fault: AnswerFault): boolean {
  const refused = fault.status === undefined || [400, 422, 500].includes(fault.status);
  return (
    refused &&
    /jinja|raise_exception|chat template|this template|roles must alternate|system message must be/i.test(fault.message)
  );
}
