import type { Lesson } from '../../core/model/endpoint-profile.ts';
import { ContextTooLongError, type Overflow } from '../../core/model/fault-kind.ts';
import { AishError } from '../../protocol/error.ts';

/*
 * Everything that this room reports. `server` is the address of a model server, as it may be shown; `said` is one line of its own words.
 * Each message follows a prefix such as `aish:`, so it begins in lower case.
 */

/** An error of this room. */
export function fault(code: string, message: string, hint?: string): AishError {
  return new AishError(code, message, hint === undefined ? {} : { hint });
}

/** A limit of time in words. */
export const formatLimit = (ms: number): string => (ms >= 1000 ? `${Math.round(ms / 1000)} s` : `${ms} ms`);

const ASK_AGAIN = 'ask again; if it fails again, look at the log of the server';

export const NO_REASON = 'the server gave no reason';
export const RESPONSE_ENDED = 'the response stream ended unexpectedly';
export const EVENT_TOO_LARGE = 'the server sent an event that is too long to read';
export const RESPONSE_TOO_LARGE = 'the server sent a response that is too long to read';
export const RESPONSE_BARREN = 'the server keeps sending data that is not part of a response';
export const NOT_JSON = 'the response is not valid JSON';
export const NOT_HTTP = 'the response is not HTTP';
export const UNREADABLE_PAGE = 'no readable text';

/** `names`: the fields that came instead. */
export function formatNoAnswer(names: string): string {
  return names === '' ? 'the response is an empty object' : `the response has no answer, only ${names}`;
}

export function formatNoContent(status: number): string {
  return `HTTP ${status} without a body`;
}

/** `reason`: the provider's own word for it. */
export function formatGaveUp(reason: string): string {
  return `the server gave up on the answer (${reason})`;
}

export function formatPage(text: string): string {
  return `the server answered with a web page: ${text}`;
}

export function aborted(): AishError {
  return fault('model.aborted', 'the request to the model was stopped');
}

export function refusedConnection(server: string, isOnThisMachine: boolean): AishError {
  const hint = isOnThisMachine
    ? 'start the model server, or correct base_url'
    : 'check base_url, HTTP_PROXY and HTTPS_PROXY, and whether this machine can reach the server';
  return fault('model.unreachable', `no server answers at ${server}: connection refused`, hint);
}

export function unknownHost(host: string): AishError {
  return fault('model.unknown-host', `cannot find the host ${host}`, 'check base_url, and that this machine is online');
}

export function insecure(server: string, detail: string): AishError {
  return fault(
    'model.tls',
    `cannot make a secure connection to ${server}: ${detail}`,
    'check http against https in base_url, and the certificate',
  );
}

export function connectionClosed(server: string): AishError {
  return fault('model.incomplete', `${server} closed the connection without a response`, ASK_AGAIN);
}

export function unreachable(server: string, detail: string): AishError {
  return fault('model.unreachable', `cannot reach ${server}: ${detail}`, 'check base_url and the network');
}

export function timedOut(
  model: string,
  server: string,
  limit: 'first-byte' | 'idle' | 'barren',
  limitMs: number,
): AishError {
  const time = formatLimit(limitMs);
  const message = {
    'first-byte': `${server} did not start to respond within ${time}`,
    idle: `${server} stopped in the middle of a response and sent nothing for ${time}`,
    barren: `${server} kept the connection open for ${time} without sending any part of a response`,
  }[limit];
  return fault('model.timeout', message, `if the model is slow, raise timeout_ms in [models.${model}]`);
}

export function tooLarge(server: string, said: string): AishError {
  return fault('model.too-large', `${server}: ${said}`, 'ask for less at a time, or look at the log of the server');
}

export function stillLoading(server: string): AishError {
  return fault('model.loading', `the server at ${server} is still loading its model`, 'ask again in a moment');
}

export function templateRefused(said: string): AishError {
  return fault(
    'model.template',
    `the model's chat template refused the conversation: ${said}`,
    'start the server with a chat template that supports tools, or use another model',
  );
}

export function rateLimited(server: string, said: string, retryAfterMs: number | undefined): AishError {
  const wait = retryAfterMs === undefined ? '' : `; it accepts requests again in ${Math.ceil(retryAfterMs / 1000)} s`;
  return fault('model.rate-limited', `rate limit reached at ${server}: ${said}${wait}`, 'wait, or switch with :model');
}

export function quotaReached(server: string, said: string): AishError {
  return fault(
    'model.quota',
    `the account at ${server} has used up its quota: ${said}`,
    'look at the plan and the billing of the account, or switch with :model; waiting does not help',
  );
}

export function noCredit(server: string, status: number, said: string): AishError {
  return fault(
    'model.no-credit',
    `the account at ${server} has no credit left (${status}): ${said}`,
    'add credit to the account, or switch with :model',
  );
}

export function regionRefused(server: string, status: number, said: string): AishError {
  return fault(
    'model.region',
    `${server} does not serve this region (${status}): ${said}`,
    'the key is not the reason; use another provider, or a proxy that the provider permits',
  );
}

/** `keyEnv`: the variable that the key came from; undefined where no key was sent. */
export function forbidden(server: string, said: string, keyEnv: string | undefined): AishError {
  const key =
    keyEnv === undefined ? 'whether the server needs a key (key_env)' : `that the key in ${keyEnv} may use this model`;
  return fault(
    'model.unauthorized',
    `${server} refuses access (403): ${said}`,
    `check ${key}; a firewall or a proxy may also refuse the request`,
  );
}

export function requestFiltered(server: string, said: string): AishError {
  return fault(
    'model.filtered',
    `the content filter of ${server} refused the request: ${said}`,
    'ask in other words, or choose another model with :model',
  );
}

export function redirected(server: string, status: number): AishError {
  return fault(
    'model.redirected',
    `${server} redirects to another address (${status}); aish does not send your key there`,
    'put the final address into base_url, often https instead of http',
  );
}

export function serverFailed(server: string, status: number, said: string): AishError {
  return fault('model.server-error', `${server} failed (${status}): ${said}`, ASK_AGAIN);
}

export function requestRefused(server: string, status: number, said: string): AishError {
  return fault(
    'model.refused',
    `${server} refused the request (${status}): ${said}`,
    'aish found nothing in the request that it could leave out; look at the log of the server, or use another model',
  );
}

export function streamFailed(server: string, said: string): AishError {
  return fault(
    'model.server-error',
    `${server} reported an error in its response: ${said}`,
    'ask again, or use another model',
  );
}

/** `keyEnv`: the variable that the key came from; undefined where no key was sent. */
export function unauthorized(
  endpoint: { readonly name: string; readonly keyEnv: string | undefined; readonly hasKey: boolean },
  server: string,
  status: number,
  said: string,
): AishError {
  const { name, keyEnv, hasKey } = endpoint;
  const message = hasKey ? 'does not accept this API key' : 'wants an API key';
  const hint =
    hasKey && keyEnv !== undefined
      ? `check that the key in ${keyEnv} is right and may use this model`
      : `set key_env in [models.${name}] to the environment variable that holds the key`;
  return fault('model.unauthorized', `${server} ${message} (${status}): ${said}`, hint);
}

/** `names`: some models that the server has, the nearest first; `more` of them are left out. */
export function modelNotFound(
  server: string,
  model: string,
  { status, said }: { readonly status: number; readonly said: string },
  known: { readonly names: readonly string[]; readonly more: number },
): AishError {
  const hint =
    known.names.length === 0
      ? 'check base_url (it usually ends in /v1) and the name in model'
      : `it has ${known.names.join(', ')}${known.more > 0 ? ` and ${known.more} more` : ''}`;
  return fault('model.not-found', `${server} does not know model "${model}" (${status}): ${said}`, hint);
}

/** The server lists the model but does not answer for it. */
export function modelNotLoaded(server: string, model: string, status: number, said: string): AishError {
  return fault(
    'model.not-found',
    `${server} lists model "${model}" but cannot use it (${status}): ${said}`,
    'load the model on the server, or look at the log of the server',
  );
}

export function pathMissing(server: string, status: number, said: string): AishError {
  return fault(
    'model.not-found',
    `${server} has no chat completions at this path (${status}): ${said}`,
    'check base_url: it usually ends in /v1',
  );
}

export function contextTooLong(model: string, said: string, overflow: Overflow): ContextTooLongError {
  const { promptTokens, windowTokens } = overflow;
  const message =
    promptTokens === undefined || windowTokens === undefined
      ? `the conversation is too long for model "${model}": ${said}`
      : `the conversation has ${promptTokens} tokens, but the context of model "${model}" holds ${windowTokens}`;
  const hint = 'begin a new session with :new, or give the server a larger context';
  return new ContextTooLongError(message, hint, overflow);
}

export function noContent(server: string, said: string): AishError {
  return fault('model.no-content', `${server} answered nothing: ${said}`, `${ASK_AGAIN}, and check base_url`);
}

export function notAModelServer(server: string, said: string): AishError {
  return fault(
    'model.not-json',
    `${server} did not answer as a model server does: ${said}`,
    'check base_url: another program may listen there',
  );
}

export function responseEnded(server: string): AishError {
  return fault(
    'model.incomplete',
    `the response stream of ${server} ended unexpectedly; aish ran nothing of this response`,
    'ask again; the conversation so far is kept',
  );
}

export function responseDamaged(server: string, said: string): AishError {
  return fault(
    'model.malformed',
    `cannot read the response of ${server}: ${said}; aish ran nothing of this response`,
    'ask again; a proxy in between may have damaged it',
  );
}

/** `why`: null if there is no such program. */
export function serverNotStarted(name: string, command: string, why: string | null, hint: string | null): AishError {
  return fault(
    'model.not-started',
    `cannot start the server of model "${name}": ${why ?? `there is no program ${command}`}`,
    hint ?? `check command in [models.${name}]; llama-server is part of llama.cpp`,
  );
}

export function serverEnded(name: string, status: number | null, log: string): AishError {
  const how = status === null ? 'was ended by a signal' : `ended with status ${status}`;
  return fault('model.not-started', `the server of model "${name}" ${how}`, `read its log: ${log}`);
}

/** A lesson about a server as the end of a sentence: `refuses stream_options, so aish leaves it out`. */
export function formatLesson(lesson: Lesson): string {
  switch (lesson.type) {
    case 'omit':
      return `refuses ${lesson.field}, so aish leaves it out`;
    case 'text-tool-turns':
      return 'refuses messages of tools, so aish sends calls and results as text';
    case 'no-tools':
      return 'takes no tools, so the model can only talk and propose commands';
    case 'most-tools':
      if (lesson.count === 1) return 'takes only one tool, so aish offers only the first';
      return `takes at most ${lesson.count} tools, so aish offers only the first ${lesson.count}`;
    case 'fold-system':
      return 'refuses a system message, so aish puts it in front of your first message';
    case 'empty-content':
      return `refuses empty content beside calls, so aish ${EMPTY_FORMS[lesson.form]}`;
    case 'content':
      return lesson.form === 'parts'
        ? 'takes the text of a message only as a list of parts, so aish sends lists'
        : 'takes only text, so aish leaves images out';
    case 'add':
      return `demands ${lesson.field}, so aish sends it`;
    case 'token-limit':
      return `wants a token limit, so aish sends ${lesson.field} = ${lesson.tokens}`;
    case 'no-stream':
      return 'does not stream, so an answer appears when it is complete';
    case 'plain-schema':
      return 'refuses a part of the schema of tools, so aish sends simpler schemas';
    case 'plainest':
      return 'refuses a part that it does not name, so aish leaves out every optional field';
  }
}

const EMPTY_FORMS = {
  null: 'sends null',
  space: 'sends a blank',
  omitted: 'leaves it out',
  text: 'sends calls and results as text',
} as const;
