import { isJsonObject, type Json, type JsonObject, parseJson } from '../../protocol/json.ts';

/** A field that a server's validation names. */
export interface NamedField {
  /** Without positions: `messages.tool_calls.extra_content`. */
  readonly path: string;
  /** The server's code for the fault, such as `extra_forbidden`; empty without one. */
  readonly type: string;
  readonly words: string;
}

/** Why an answer is no answer. Everything but `server` was found out here; the message is the server's own where it sent one. */
export interface AnswerFault {
  readonly kind: 'incomplete_stream' | 'malformed_chunk' | 'too_large' | 'connection' | 'server';
  readonly message: string;
  /** The server's own code, a number or a word. */
  readonly code?: string | number;
  /**
   * The server's own name for the kind of error. Ours are `not_json` where a page
   * came, `no_content` for no body, `no_choices` for other JSON, `refused` or `reset` for a connection.
   */
  readonly type?: string;
  /** The HTTP status, when it was not 200. */
  readonly status?: number;
  /** Sizes told with "context too long". */
  readonly promptTokens?: number;
  readonly contextTokens?: number;
  /** The fields that it refused. */
  readonly fields?: readonly NamedField[];
  /** The server accepts another request after so many milliseconds. */
  readonly retryAfterMs?: number;
}

/** Reads an error as servers write it: an object or text under `error`, flat, inside a list, or plain text. */
export function readServerFault(value: unknown): AnswerFault {
  if (typeof value === 'string') return { kind: 'server', message: value };
  if (Array.isArray(value) && value.length > 0) return readServerFault(value[0]);
  if (!isJsonObject(value)) return { kind: 'server', message: 'the server reported an error without saying which' };
  const { error } = value;
  // Some frameworks write a short name there, and their reason beside it.
  if (typeof error === 'string' && error !== '') return { ...readObject(value), message: findMessage(value) ?? error };
  if (!isJsonObject(error)) return readObject(value);
  const inner = readObject(error);
  return saysNothing(error) && !saysNothing(value) ? { ...readObject(value), ...inner, message: messageOf(value) } : inner;
}

/** True for JSON that reports an error. */
export function isFailure(body: JsonObject): boolean {
  const { error, base_resp: minimax } = body;
  if (isJsonObject(minimax) && Number(minimax.status_code ?? 0) !== 0) return true;
  if (body.object === 'error') return true;
  if (!isJsonObject(error)) return typeof error === 'string' && tellsFailure(error);
  return [...Object.values(error), typeof body.message === 'string' ? body.message : ''].some(tellsFailure);
}

/** Some gateways put an empty error into each chunk, or one that says success. */
function tellsFailure(value: Json): boolean {
  return !/^(|0|null|false|ok|success)$/i.test(String(value));
}

function readObject(error: JsonObject): AnswerFault {
  const code = error.code ?? error.status_code;
  const type = error.type ?? error.status;
  const message = messageOf(error);
  const retryAfterMs = readRetryDelay(error.details) ?? readRetryWords(message);
  const fields = readFields(error);
  return {
    kind: 'server',
    message,
    ...(fields.length === 0 ? {} : { fields }),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof type === 'string' ? { type } : {}),
    ...(typeof error.n_prompt_tokens === 'number' ? { promptTokens: error.n_prompt_tokens } : {}),
    ...(typeof error.n_ctx === 'number' ? { contextTokens: error.n_ctx } : {}),
  };
}

/** The fields that a refusal names: FastAPI by `loc`, OpenAI and Express by `param`, Google by `fieldViolations`. */
function readFields(error: JsonObject): NamedField[] {
  const { param, detail, details, errors, issues } = error;
  const lists = [detail, details, errors, issues].filter(Array.isArray).flat();
  const named = lists.flatMap((one: Json) => (isJsonObject(one) ? readField(one) : []));
  const own = typeof param === 'string' && param !== '' ? [toField(param, String(error.code ?? ''), messageOf(error))] : [];
  return [...own, ...named];
}

function readField(one: JsonObject): NamedField[] {
  const { loc, msg, type, param, fieldViolations } = one;
  if (Array.isArray(fieldViolations))
    return fieldViolations.flatMap((violation: Json) =>
      isJsonObject(violation) && typeof violation.field === 'string'
        ? [toField(violation.field, '', String(violation.description ?? ''))]
        : [],
    );
  if (typeof param === 'string' && param !== '') return [toField(param, String(type ?? ''), String(msg ?? one.message ?? ''))];
  if (!Array.isArray(loc)) return [];
  return [toField(loc.filter((part) => typeof part === 'string').join('.'), String(type ?? ''), String(msg ?? ''))];
}

/** `body.messages.3.role` and `messages[3].role` are the field `messages.role`; unions of FastAPI add names of types. */
function toField(path: string, type: string, words: string): NamedField {
  const parts = path.replaceAll(/\[[^\]]*\]/g, '').split('.');
  const named = parts.filter(
    (part, at) => part !== '' && !/^\d+$/.test(part) && !(at === 0 && part === 'body') && !/^[A-Z]|[[\]()-]/.test(part),
  );
  return { path: named.join('.'), type, words };
}

/** Google names the pause in a detail: `{"@type": "…RetryInfo", "retryDelay": "12.5s"}`. */
function readRetryDelay(details: Json | undefined): number | null {
  if (!Array.isArray(details)) return null;
  for (const detail of details) {
    const delay = isJsonObject(detail) && typeof detail.retryDelay === 'string' ? /^(\d+(?:\.\d+)?)s$/.exec(detail.retryDelay) : null;
    if (delay !== null) return Math.ceil(Number(delay[1]) * 1000);
  }
  return null;
}

/** Many servers name the pause in words only: "Please try again in 1m2.5s", "retry in 800 ms", "retry after 3 seconds". */
const TIME = String.raw`\d+(?:\.\d+)?(?:[hms](?=\d)|\s?(?:ms|milliseconds?|sec(?:ond)?s?|s|min(?:ute)?s?|m|hours?|h)\b)\s?`;
const PAUSE = new RegExp(String.raw`\b(?:try again|retry|retrying)\b\D{0,20}?((?:${TIME})+)`, 'i');
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, mi: 1, s: 1000, m: 60_000, h: 3_600_000 };

function readRetryWords(message: string): number | null {
  const said = PAUSE.exec(message)?.[1];
  if (said === undefined) return null;
  const parts = [...said.matchAll(/(\d+(?:\.\d+)?)\s?(ms|mi(?=l)|h|m|s)/gi)];
  return Math.ceil(parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (UNIT_MS[unit.toLowerCase()] ?? 1000), 0));
}

/** The fields in which servers and frameworks write their reason. */
const MESSAGE_FIELDS = [
  ...['message', 'msg', 'Message', 'error_msg', 'error_message', 'errorMessage', 'status_msg', 'detail', 'error_description'],
  ...['description', 'reason', 'errors', 'issues', 'title'],
];

function messageOf(error: JsonObject): string {
  // OpenRouter puts the words of the provider beside its own.
  const raw = isJsonObject(error.metadata) && typeof error.metadata.raw === 'string' ? error.metadata.raw : '';
  const said = findMessage(error) ?? (raw === '' ? `the server reported an error: ${JSON.stringify(error)}` : '');
  return raw === '' ? said : [said, readServerFault(parseJson(raw) ?? raw).message].filter((words) => words !== '').join(': ');
}

/** The server's words in an error; null if it has none. */
export function findMessage(error: JsonObject): string | null {
  for (const said of MESSAGE_FIELDS.map((name) => error[name])) {
    if (typeof said === 'string' && said !== '') return said;
    if (Array.isArray(said) && said.length > 0) return formatDetails(said);
    if (isJsonObject(said)) return findMessage(said) ?? JSON.stringify(said);
  }
  return null;
}

/** The list of FastAPI in words: `stream_options: Extra inputs are not permitted`. */
function formatDetails(details: readonly Json[]): string {
  const lines = details.map((one) => {
    if (!isJsonObject(one)) return String(one);
    const [field] = readField(one);
    if (field === undefined || field.words === '') return messageOf(one);
    return field.path === '' ? field.words : `${field.path}: ${field.words}`;
  });
  return [...new Set(lines)].join('; ');
}

function saysNothing(error: JsonObject): boolean {
  return typeof error.message !== 'string' || error.message === '';
}

/** The parts of an address that matter here; written out because this layer knows no URL class. */
const PARTS = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#\\]*@)?([^/?#\\]*)([^?#]*)(\?[^#]*)?/i;

/** An address as it may be shown: without user and password, its query only hinted at, since either may be a key. */
export function toShownUrl(address: string): string {
  const found = PARTS.exec(address);
  if (found === null) return address;
  const [, scheme = '', host = '', path = '', query = ''] = found;
  return `${scheme}${host}${path}${query.length > 1 ? '?…' : ''}`;
}
