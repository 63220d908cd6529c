import { ANSWER_LIMIT, type AnswerReading, CompletionAssembler } from '../../core/completion-assembler.ts';
import { type AnswerFault, readServerFault } from '../../core/server-fault.ts';
import type { CompletionDelta } from '../../protocol/model.ts';
import { EventStreamReader, type ServerSentEvent } from './sse.ts';

/** A response as `fetch` gives it, or as a recording does. */
export interface AnswerResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array>;
}

/** Most bytes of an error's body that are read. */
const ERROR_LIMIT = 256 * 1024;

const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const DOCUMENT_STARTS: ReadonlySet<number> = new Set([0x5b, 0x7b, 0x3c]); // [ { <

/**
 * Reads a response to its end: a stream of events, one JSON completion, or an error. What the body is, its first character
 * tells; the content type is not to be relied on. Only what the body itself throws is thrown.
 */
export async function readResponse(
  response: AnswerResponse,
  onDelta: (delta: CompletionDelta) => void,
  now: () => number = Date.now,
): Promise<AnswerReading> {
  const assembler = new CompletionAssembler(makeCallId);
  const body = response.body[Symbol.asyncIterator]();
  try {
    const first = await skipBlanks(body);
    const failed = response.status < 200 || response.status > 299;
    if (failed) assembler.fail(readErrorFault(response, await readText(body, first, ERROR_LIMIT), now));
    else if (DOCUMENT_STARTS.has(first[0] ?? 0)) await readDocument(body, first, assembler, onDelta);
    else await readEvents(body, first, assembler, onDelta);
  } finally {
    await body.return?.();
  }
  return assembler.end();
}

/** Nine letters and digits: the one form of id that every template takes. */
export function makeCallId(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => alphabet[byte % alphabet.length]).join('');
}

async function readEvents(
  body: AsyncIterator<Uint8Array>,
  first: Uint8Array,
  assembler: CompletionAssembler,
  onDelta: (delta: CompletionDelta) => void,
): Promise<void> {
  const reader = new EventStreamReader();
  const take = (events: readonly ServerSentEvent[]): void => {
    for (const event of events) for (const delta of assembler.acceptEvent(event)) onDelta(delta);
  };
  take(reader.push(first));
  while (!assembler.closed) {
    const next = await body.next();
    if (next.done) break;
    take(reader.push(next.value));
    if (reader.held > ANSWER_LIMIT)
      assembler.fail({ kind: 'too_large', message: 'one event of the answer does not end' });
  }
  take(reader.end());
}

async function readDocument(
  body: AsyncIterator<Uint8Array>,
  first: Uint8Array,
  assembler: CompletionAssembler,
  onDelta: (delta: CompletionDelta) => void,
): Promise<void> {
  const text = (await readText(body, first, ANSWER_LIMIT + 1)).trim();
  const parsed = parseJson(text);
  if (parsed !== undefined) for (const delta of assembler.acceptChunk(parsed)) onDelta(delta);
  else assembler.fail(toDocumentFault(text));
}

function toDocumentFault(text: string): AnswerFault {
  if (text.length > ANSWER_LIMIT) return { kind: 'too_large', message: 'the answer is longer than can be held' };
  if (text.startsWith('<')) {
    return { kind: 'malformed_chunk', type: 'not_json', message: `the server answered with a page: ${pageText(text)}` };
  }
  if (/[}\]]$/.test(text))
    return { kind: 'malformed_chunk', type: 'not_json', message: 'the answer is not valid JSON' };
  return { kind: 'incomplete_stream', message: 'the answer broke off before its end' };
}

/** The fault a status other than success stands for, in the server's own words where it has any. */
export function readErrorFault(
  response: Pick<AnswerResponse, 'status' | 'headers'>,
  text: string,
  now: () => number = Date.now,
): AnswerFault {
  const told = readErrorBody(text.trim());
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), now());
  return { ...told, status: response.status, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
}

function readErrorBody(text: string): AnswerFault {
  if (text === '') return { kind: 'server', message: 'no reason was given' };
  const parsed = parseJson(text);
  if (parsed !== undefined) return readServerFault(parsed);
  const streamed = /^(?:event|data|error|id|retry)?:/.test(text) ? readStreamedError(text) : null;
  return streamed ?? { kind: 'server', type: 'not_json', message: pageText(text) };
}

/** Some gateways send the error of a refused stream as an event. */
function readStreamedError(text: string): AnswerFault | null {
  const reader = new EventStreamReader();
  for (const event of [...reader.push(new TextEncoder().encode(text)), ...reader.end()]) {
    const parsed = parseJson(event.error ?? event.data);
    if (parsed !== undefined) return readServerFault(parsed);
  }
  return null;
}

/** `Retry-After` in seconds or as an HTTP date, in milliseconds from now; null when it says nothing. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null || value.trim() === '') return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds * 1000));
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** What a person would read of a page: its title, or the beginning of its text. */
function pageText(text: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim();
  const words = text.replace(/<(script|style)\b[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  return title || words.replace(/\s+/g, ' ').trim().slice(0, 200) || 'nothing readable';
}

/** The first bytes that are no blank, and no byte order mark. */
async function skipBlanks(body: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  for (;;) {
    const next = await body.next();
    if (next.done) return new Uint8Array();
    const start = next.value.findIndex((byte) => !BLANKS.has(byte));
    if (start >= 0) return next.value.subarray(start);
  }
}

async function readText(body: AsyncIterator<Uint8Array>, first: Uint8Array, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  const pieces = [decoder.decode(first, { stream: true })];
  for (let size = first.length; size < limit; ) {
    const next = await body.next();
    if (next.done) break;
    size += next.value.length;
    pieces.push(decoder.decode(next.value, { stream: true }));
  }
  return (pieces.join('') + decoder.decode()).slice(0, limit);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
