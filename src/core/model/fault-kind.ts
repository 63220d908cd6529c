import type { DelayReason } from '../../protocol/model.ts';
import { saysTooLong } from '../context/overflow.ts';
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
      return classifyServer(fault);
  }
}

function classifyIncomplete({ type }: AnswerFault): FaultKind {
  if (type === 'no_content') return 'no-content';
  return type === 'no_choices' ? 'not-a-model-server' : 'incomplete';
}

function classifyServer(fault: AnswerFault): FaultKind {
  if (fault.status === 503 && /loading/i.test(fault.message)) return 'loading';
  if (isContextTooLong(fault)) return 'context-too-long';
  if (isTemplateError(fault)) return 'template';
  return classifyStatus(fault, statusOf(fault));
}

function classifyStatus(fault: AnswerFault, status: number | null): FaultKind {
  switch (status) {
    case 401:
      return 'unauthorized';
    case 402:
      return 'no-credit';
    case 403:
      return isRegion(fault) ? 'region' : 'unauthorized';
    case 408:
      return 'timed-out';
    case 429:
      return isQuota(fault) ? 'quota-used' : 'rate-limited';
    case 500:
      return 'server-error';
    case 529:
      return 'overloaded';
    case 502:
    case 503:
    case 504:
      return 'unavailable';
  }
  if (isModelMissing(fault, status)) return 'model-missing';
  if (status === 404) return 'path-missing';
  if (status === null) return 'stream-error';
  if (status >= 300 && status < 400) return 'redirected';
  if (status >= 520) return 'unavailable';
  return status >= 500 ? 'server-error' : 'refused';
}

/** An error inside a stream that began well may carry the status that it would have had. */
function statusOf({ status, code }: AnswerFault): number | null {
  if (status !== undefined) return status;
  return typeof code === 'number' && code >= 400 && code < 600 ? code : null;
}

/** A missing page has words of its own: those of a web server, or of a router that knows no such path. */
function isModelMissing(fault: AnswerFault, status: number | null): boolean {
  if (status !== null && status >= 500) return false;
  if (fault.code === 'model_not_found' || fault.type === 'model_not_found') return true;
  if (status === 404)
    return fault.type !== 'not_json' && !/^(page )?not found$|(file|path|route|url|page) not found|no route/i.test(fault.message);
  return status !== null && /model\b.{0,120}\b(not found|does not exist)/i.test(fault.message);
}

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
  return /\b(region|country|territory)\b|location is not supported/i.test(message);
}
