import { AishError } from '../../protocol/error.ts';
import type { DelayReason } from '../../protocol/model.ts';
import type { AnswerFault } from './server-fault.ts';

/** The kinds of faults that aish treats differently. Servers report them in many ways; this module alone reads their words. */
export type FaultKind =
  | 'incomplete'
  | 'no-content'
  | 'not-a-model-server'
  | 'malformed'
  | 'too-large'
  | 'connection-lost'
  | 'connection-refused'
  | 'loading'
  | 'context-too-long'
  | 'template'
  | 'unauthorized'
  | 'forbidden'
  | 'filtered'
  | 'region'
  | 'no-credit'
  | 'quota-used'
  | 'rate-limited'
  | 'timed-out'
  | 'overloaded'
  | 'unavailable'
  | 'server-error'
  | 'path-missing'
  | 'model-missing'
  | 'redirected'
  | 'refused'
  /** An error inside a response that began well, without a status of its own. */
  | 'stream-error';

/** Faults after which the same request may succeed later. */
const DELAYS: Readonly<Partial<Record<FaultKind, DelayReason>>> = {
  loading: 'loading',
  'rate-limited': 'rate-limited',
  overloaded: 'overloaded',
  unavailable: 'unavailable',
  'timed-out': 'timed-out',
  'server-error': 'server-error',
  'connection-lost': 'connection-lost',
  'connection-refused': 'connection-refused',
};

/** The reason to send a request again after a fault; null if it would fail again. */
export function toDelayReason(kind: FaultKind): DelayReason | null {
  return DELAYS[kind] ?? null;
}

/** Finds the kind of a fault. */
export function classifyFault(fault: AnswerFault): FaultKind {
  switch (fault.kind) {
    case 'incomplete_stream':
      return classifyIncomplete(fault);
    case 'malformed_chunk':
      return fault.type === 'not_json' ? 'not-a-model-server' : 'malformed';
    case 'too_large':
      return 'too-large';
    case 'connection':
      return fault.type === 'refused' ? 'connection-refused' : 'connection-lost';
    case 'server':
      // The model wrote a call that the server cannot read, and may write the next one well.
      return fault.code === 'tool_use_failed' ? 'server-error' : classifyServer(fault);
  }
}

function classifyIncomplete({ type }: AnswerFault): FaultKind {
  if (type === 'no_content') return 'no-content';
  return type === 'no_choices' ? 'not-a-model-server' : 'incomplete';
}

function classifyServer(fault: AnswerFault): FaultKind {
  if (fault.status === 503 && /loading|not ready/i.test(fault.message)) return 'loading';
  if (isContextTooLong(fault)) return 'context-too-long';
  if (isTemplateError(fault)) return 'template';
  const status = statusOf(fault);
  return classifyWords(fault, status) ?? classifyStatus(fault, status);
}

/** Reasons that servers give with one status or another; the status decides only without them. */
const WORDS: readonly (readonly [kind: FaultKind, ...words: readonly RegExp[]])[] = [
  [
    'no-credit',
    /insufficient[ _](credit|balance|fund)|(credit|account) balance|billing_(hard_limit|not_active)/i,
    /(out of|no|not enough|included|prepaid|all available) credits?\b|余额不足|欠费|budget_exceeded|\bover budget\b/i,
  ],
  ['region', /location is not supported/i],
  ['filtered', /content[ _](policy|filter)|content management policy|safety system|\bmoderation\b|flagged as/i],
  [
    'unauthorized',
    /api[ _-]?key\b.{0,30}\b(invalid|not valid|incorrect|missing|expired|required)/i,
    /(invalid|incorrect|missing)[ _]api[ _-]?key/i,
  ],
];

function classifyWords(fault: AnswerFault, status: number | null): FaultKind | null {
  if (status !== null && (status < 400 || status >= 500)) return null;
  const words = `${fault.code ?? ''} ${fault.type ?? ''} ${fault.message}`;
  const said = WORDS.find(([, ...patterns]) => patterns.some((pattern) => pattern.test(words)))?.[0];
  // A page of a firewall is about something else.
  if (said !== undefined && fault.type !== 'not_json') return said;
  return isModelMissing(fault, status) ? 'model-missing' : null;
}

function classifyStatus(fault: AnswerFault, status: number | null): FaultKind {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 402:
      return 'no-credit';
    case 403:
      if (isQuota(fault)) return 'quota-used';
      return isRegion(fault) ? 'region' : 'forbidden';
    case 404:
    case 405:
    case 410:
      return 'path-missing';
    case 408:
      return 'timed-out';
    case 429:
      return isQuota(fault) ? 'quota-used' : 'rate-limited';
    case 451:
      return 'region';
    case 500:
      return 'server-error';
    case 501:
      return 'refused';
    case 529:
      return 'overloaded';
    case 409:
    case 425:
    case 502:
    case 503:
    case 504:
      return 'unavailable';
    case null:
      return 'stream-error';
  }
  if (status >= 300 && status < 400) return 'redirected';
  if (status >= 520) return 'unavailable';
  return status >= 500 ? 'server-error' : 'refused';
}

/** The status that stands for a kind of error inside a stream. */
const TYPE_STATUS: ReadonlyMap<unknown, number> = new Map([
  ['overloaded_error', 529],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['server_error', 500],
  ['api_error', 500],
  ['service_unavailable', 503],
  ['authentication_error', 401],
]);

/** An error inside a stream that began well may carry the status that it would have had. */
function statusOf({ status, code, type }: AnswerFault): number | null {
  if (status !== undefined) return status;
  const number = Number(code);
  return number >= 400 && number < 600 ? number : (TYPE_STATUS.get(type) ?? TYPE_STATUS.get(code) ?? null);
}

/** A missing page has words of its own: those of a web server, or of a router that knows no such path. */
function isModelMissing({ code, type, message }: AnswerFault, status: number | null): boolean {
  if (MODEL_CODES.has(code) || MODEL_CODES.has(type)) return true;
  if (status === 404) return type !== 'not_json' && !/^(page )?not found$|(file|path|route|url|page) not found|no route/i.test(message);
  return status !== null && MODEL_MISSING.some((words) => words.test(message));
}

const MODEL_CODES: ReadonlySet<unknown> = new Set(['model_not_found', 'model_not_supported']);
const MODEL_MISSING = [
  /model\b.{0,120}\b(not found|does not exist|has been (deprecated|retired|removed|decommissioned))/i,
  /\b(not a valid|invalid|unknown|no such) model\b(?! (input|param|setting|option|config))/i,
];

function isContextTooLong(fault: AnswerFault): boolean {
  if (fault.type === 'exceed_context_size_error' || fault.code === 'context_length_exceeded') return true;
  if (fault.status === 413) return true;
  // Limits on tokens in a minute have similar words, but another cure.
  if (fault.status === 429 || fault.status === 402) return /too large/i.test(fault.message);
  return saysTooLong(fault.message);
}

/** The status differs by version and template, so the server's message decides. */
function isTemplateError(fault: AnswerFault): boolean {
  const refused = fault.status === undefined || [400, 422, 500].includes(fault.status);
  return refused && /jinja|raise_exception|chat template|this template|roles must alternate|system message must be/i.test(fault.message);
}

/** A limit that no waiting lifts. One with a time to wait is lifted by itself. */
function isQuota({ code, type, message, retryAfterMs }: AnswerFault): boolean {
  if (code === 'insufficient_quota' || type === 'insufficient_quota') return true;
  return retryAfterMs === undefined && /current quota|billing|out of credits?|usage limit|monthly limit/i.test(message);
}

function isRegion({ code, message }: AnswerFault): boolean {
  if (typeof code === 'string' && /region|country|territory/i.test(code)) return true;
  return /\b(region|country|territory)\b/i.test(message);
}

/** The sizes that a server names when it refuses a request as too long. */
export interface Overflow {
  /** Tokens the model can hold, where the server says so. */
  readonly windowTokens?: number;
  /** Tokens the request had. */
  readonly promptTokens?: number;
}

/** The request is longer than the model can hold. */
export class ContextTooLongError extends AishError {
  readonly overflow: Overflow;

  constructor(message: string, hint: string, overflow: Overflow) {
    super('model.context-too-long', message, { hint });
    this.overflow = overflow;
  }
}

/** Servers put it in many words; each of these was seen with one. */
const TOO_LONG = [
  /exceeds? (the |its )?(available |model'?s? |maximum |configured |allowed )*(context|input token|token limit|num_ctx|n_ctx)/i,
  /maximum context length/i,
  /context[ _](length|window|size)(_| (is |was |has been )?)exceeded/i,
  /(prompt|input|request|conversation|messages?) (is |are |was )?(too (long|large|many tokens)|longer than)/i,
  /too many (input |prompt )?tokens/i,
  /(greater|more|longer) than the (model'?s? )?(context|maximum input) (length|window|size)/i,
  /context the overflows|inputs.{0,12} tokens \+ .{0,12}max_new_tokens/i,
  /input (token count|length).{0,80}exceeds?/i,
  /reduce (the length of|your) (the )?(messages|prompt|input)/i,
  /does not fit (in|into) the context/i,
  /not enough (room|space) in the context|context (is )?full|kv cache (is )?full/i,
  /tokens? to keep from the initial prompt/i,
  /max_tokens must be at least 1, got -/i,
  /(超过|超出|大于).{0,30}(长度|上下文|token)|(长度|上下文).{0,20}(超过|超出|过长)/i,
];

/** True where a server's words say that the request is longer than the model can hold. */
export function saysTooLong(message: string): boolean {
  return TOO_LONG.some((pattern) => pattern.test(message));
}

const WINDOW = [
  /maximum context length (?:is|of) (\d+)|max_new_tokens.{0,12} must be <= (\d+)|context length of only (\d+)/i,
  /maximum (?:number of )?(?:input |prompt )?tokens(?: allowed)?(?: is| of)?:? ?\(?(\d+)/i,
  /context (?:size|length|window)(?: of| is)?:? ?\(?(\d+)/i,
  /(?:>|exceeds?|limit(?: of| is)?:?|maximum(?: of| is)?:?|up to|n_ctx:?|num_ctx:?) ?\(?(\d+)(?: tokens?)?\b/i,
];

const PROMPT = [
  /requested (?:about )?(\d+) tokens/i,
  /(?:prompt|input|messages)(?: is| contains?| has| resulted in| of| token count)?:? ?\(?(\d+) ?(?:input )?tokens?/i,
  /(?<!\d)(\d+) tokens?\)?[^.]{0,40}(?:exceeds?|>)/i,
  /token count \(?(\d+)/i,
];

/** The numbers in such words. A window that is not smaller than the request it refused was read wrongly. */
export function readOverflow(message: string): Overflow {
  const plain = message.replaceAll(/(\d)[,_](?=\d{3})/g, '$1');
  const promptTokens = firstNumber(plain, PROMPT);
  const windowTokens = firstNumber(plain, WINDOW);
  const isRight = windowTokens !== undefined && (promptTokens === undefined || windowTokens <= promptTokens);
  return { ...(isRight ? { windowTokens } : {}), ...(promptTokens === undefined ? {} : { promptTokens }) };
}

/** Smaller ones are numbers of something else. */
const SMALLEST = 128;

function firstNumber(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const found = Number(
      pattern
        .exec(text)
        ?.slice(1)
        .find((digits) => digits !== undefined),
    );
    if (found >= SMALLEST) return found;
  }
  return undefined;
}
