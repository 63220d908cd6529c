import { namesIn, toChunks } from '../../core/model/chunk-shapes.ts';
import { ANSWER_LIMIT, type AnswerReading, CompletionAssembler } from '../../core/model/completion-assembler.ts';
import { type AnswerFault, findMessage, readServerFault } from '../../core/model/server-fault.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../protocol/json.ts';
import type { CompletionDelta } from '../../protocol/model.ts';
import type { ServerSign } from './connection.ts';
import * as messages from './messages.ts';
import { EventStreamReader, type ServerSentEvent } from './sse.ts';

/** A response as `fetch` gives it, or as a recording does. */
interface AnswerResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array>;
}

interface ReadingOptions {
  /** Milliseconds since the epoch, for dates a server names. */
  readonly now?: () => number;
  /** Called where the answer has grown; tool calls grow without a delta. */
  readonly onGrowth?: () => void;
  /** Called for what the server says beside its answer. */
  readonly onSign?: (sign: ServerSign) => void;
  /** Whether the connection broke, so that the end of the bytes is not the end of the response. */
  readonly isBroken?: () => boolean;
}

/** The longest piece of an answer that is passed on at a time, before keys, timers and the screen get their turn. */
export const SLICE_CHARACTERS = 1024;

/** The same in milliseconds, where handing on takes long. */
const SLICE_MS = 8;

/** The most bytes that are read at a time, whatever they are: of comments and of calls nothing may be passed on. */
export const SLICE_BYTES = 16 * 1024;

/** After so many bytes their remains are collected: chunks with much beside their tokens would take 40 MiB more otherwise. */
const COLLECT_BYTES = 8 * 1024 * 1024;

/** Most bytes in a row that add nothing to an answer: comments, blanks, empty chunks. */
const BARREN_LIMIT = 4 * 1024 * 1024;

/** Characters of a page that are looked at for words. */
const PAGE_READ = 8192;

/** Most bytes of an error's body that are read. */
const ERROR_LIMIT = 256 * 1024;

const NOTHING = new Uint8Array();

const LINE_FEED = 0x0a;
const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const DOCUMENT_STARTS: ReadonlySet<number> = new Set([0x5b, 0x7b, 0x3c]); // [ { <

/**
 * Reads a response to its end: a stream of events, one JSON completion, or an error. The first character gives the kind of the body,
 * because the content type is unreliable. Only errors of the body itself are thrown.
 */
export async function readResponse(
  response: AnswerResponse,
  onDelta: (delta: CompletionDelta) => void,
  { now = Date.now, onGrowth = () => {}, onSign = () => {}, isBroken = () => false }: ReadingOptions = {},
): Promise<AnswerReading> {
  const assembler = new CompletionAssembler(makeCallId);
  const body = response.body[Symbol.asyncIterator]();
  try {
    const first = await skipBlanks(body);
    const failed = response.status < 200 || response.status > 299;
    if (failed) assembler.fail(readErrorFault(response, await readText(body, first ?? NOTHING, ERROR_LIMIT), now));
    else if (first === null) assembler.fail(isBroken() ? RESET : noContent(response.status));
    else if (DOCUMENT_STARTS.has(first[0] ?? 0))
      await readLinesOrDocument(body, first, assembler, new Pace(onDelta), { onGrowth, onSign });
    else await readEvents(body, first, assembler, new Pace(onDelta), { onGrowth, onSign });
  } finally {
    await body.return?.();
  }
  return assembler.end();
}

/** The fault of a response that is no stream of events: an error by its status, a web page, or a document. */
export async function readFault(response: AnswerResponse, now: () => number = Date.now): Promise<AnswerFault> {
  const text = await readText(response.body[Symbol.asyncIterator](), NOTHING, ERROR_LIMIT);
  if (response.status < 200 || response.status > 299) return readErrorFault(response, text, now);
  const parsed = parseJson(text.trim());
  if (isJsonObject(parsed) && parsed.error !== undefined) return readServerFault(parsed);
  return text.trim() === '' ? noContent(response.status) : { ...toDocumentFault(text.trim()), type: 'not_json' };
}

/** Nine letters and digits: the one form of id that every template takes. */
export function makeCallId(): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from(crypto.getRandomValues(new Uint8Array(9)), (byte) => alphabet[byte % alphabet.length]).join('');
}

type Listeners = Pick<Required<ReadingOptions>, 'onGrowth' | 'onSign'>;

/** Some servers stream lines of JSON instead of events. A document of one line is read as such. */
async function readLinesOrDocument(
  body: AsyncIterator<Uint8Array>,
  first: Uint8Array,
  assembler: CompletionAssembler,
  pace: Pace,
  listeners: Listeners,
): Promise<void> {
  let head = first;
  while (!head.includes(LINE_FEED) && head.length <= ANSWER_LIMIT) {
    const next = await body.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const end = head.indexOf(LINE_FEED);
  const parsed = end < 0 ? undefined : parseJson(new TextDecoder().decode(head.subarray(0, end)));
  if (!isJsonObject(parsed)) await readDocument(body, head, assembler, pace);
  else if ((await readEvents(body, head, assembler, pace, listeners)) === 1 && !isPiece(parsed))
    closeDocument(parsed, assembler);
}

/** Returns the number of events. */
async function readEvents(
  body: AsyncIterator<Uint8Array>,
  first: Uint8Array,
  assembler: CompletionAssembler,
  pace: Pace,
  { onGrowth, onSign }: Listeners,
): Promise<number> {
  const reader = new EventStreamReader();
  const signs = new Signs(assembler, onSign);
  let barren = 0;
  let count = 0;
  const take = async (events: readonly ServerSentEvent[], bytes: number): Promise<void> => {
    const before = assembler.size;
    count += events.length;
    for (const event of events) await pace.hand(assembler.acceptEvent(event));
    signs.look(reader.comments);
    barren = assembler.size > before ? 0 : barren + bytes;
    if (assembler.size > before) onGrowth();
    else if (barren > BARREN_LIMIT && !assembler.closed)
      assembler.fail({ kind: 'too_large', message: messages.RESPONSE_BARREN });
  };
  const read = async (bytes: Uint8Array): Promise<void> => {
    for (let at = 0; at < bytes.length && !assembler.closed; at += SLICE_BYTES) {
      const piece = bytes.subarray(at, at + SLICE_BYTES);
      await take(reader.push(piece), piece.length);
      await pace.spend(piece.length);
    }
  };
  await read(first);
  while (!assembler.closed) {
    const next = await body.next();
    if (next.done) break;
    await read(next.value);
    if (reader.held > ANSWER_LIMIT) assembler.fail({ kind: 'too_large', message: messages.EVENT_TOO_LARGE });
  }
  await take(reader.end(), 0);
  if (count > 0 || reader.comments > 0) return count;
  const text = new TextDecoder().decode(first.subarray(0, PAGE_READ)).trim();
  if (!FIELD.test(text)) assembler.fail({ kind: 'malformed_chunk', type: 'not_json', message: pageText(text) });
  return count;
}

/** A field of an event stream, or the beginning of one. */
const FIELD =
  /^(data|event|id|retry|error)?:|^(d|da|dat|data|e|ev|eve|even|event|er|err|erro|error|i|id|r|re|ret|retr|retry)$/;

/** Tells what a server says beside its answer, and each news once. */
class Signs {
  readonly #assembler: CompletionAssembler;
  readonly #onSign: (sign: ServerSign) => void;
  #percent: number | null = null;
  #isQueued = false;
  #isLlama = false;

  constructor(assembler: CompletionAssembler, onSign: (sign: ServerSign) => void) {
    this.#assembler = assembler;
    this.#onSign = onSign;
  }

  look(comments: number): void {
    const { percent, isLlama, size } = this.#assembler;
    if (isLlama && !this.#isLlama) this.#onSign({ type: 'llama.cpp' });
    this.#isLlama = isLlama;
    if (percent !== null && percent !== this.#percent) this.#onSign({ type: 'reading', percent });
    this.#percent = percent;
    if (percent !== null || size > 0 || comments === 0 || this.#isQueued) return;
    this.#isQueued = true;
    this.#onSign({ type: 'queued' });
  }
}

async function readDocument(
  body: AsyncIterator<Uint8Array>,
  first: Uint8Array,
  assembler: CompletionAssembler,
  pace: Pace,
): Promise<void> {
  const text = (await readText(body, first, ANSWER_LIMIT + 1)).trim();
  const parsed = parseJson(text);
  const chunks = Array.isArray(parsed) && parsed.length > 0 ? parsed : [parsed];
  if (parsed === undefined) assembler.fail(toDocumentFault(text));
  else for (const chunk of chunks) await pace.hand(assembler.acceptChunk(chunk));
  const whole = chunks.length === 1 ? chunks[0] : null;
  if (isJsonObject(whole)) closeDocument(whole, assembler);
}

/** True for the first line of a stream, which more should have followed. */
function isPiece({ done, object }: JsonObject): boolean {
  return done === false || object === 'chat.completion.chunk';
}

function closeDocument(parsed: JsonObject, assembler: CompletionAssembler): void {
  // A whole document is a whole answer, whether or not its form has a word for the end.
  if (toChunks(parsed) !== null) assembler.acceptEvent({ type: '', data: '[DONE]', error: null, finished: true });
  else {
    const message = messages.formatNoAnswer(namesIn(parsed));
    const isError = findMessage(parsed) !== null;
    assembler.fail(isError ? readServerFault(parsed) : { kind: 'incomplete_stream', type: 'no_choices', message });
  }
}

/** Passes pieces of an answer on and lets everything else that waits run in between, however fast and long the pieces are. */
export class Pace {
  readonly #onDelta: (delta: CompletionDelta) => void;
  #begun = performance.now();
  #size = 0;
  #bytes = 0;
  #uncollected = 0;

  constructor(onDelta: (delta: CompletionDelta) => void) {
    this.#onDelta = onDelta;
  }

  async hand(deltas: readonly CompletionDelta[]): Promise<void> {
    for (const delta of deltas) {
      if (delta.type === 'tool-call') await this.#handOne(delta, delta.name.length);
      else for (const text of cutText(delta.text)) await this.#handOne({ type: delta.type, text }, text.length);
    }
  }

  /** Counts bytes that were read, whether or not anything of them was passed on. */
  async spend(bytes: number): Promise<void> {
    this.#bytes += bytes;
    this.#uncollected += bytes;
    if (this.#uncollected >= COLLECT_BYTES) {
      this.#uncollected = 0;
      Bun.gc(true);
    }
    if (this.#bytes >= SLICE_BYTES || this.#isLate) await this.#giveWay();
  }

  async #handOne(delta: CompletionDelta, size: number): Promise<void> {
    this.#onDelta(delta);
    this.#size += size;
    if (this.#size >= SLICE_CHARACTERS || this.#isLate) await this.#giveWay();
  }

  get #isLate(): boolean {
    return performance.now() - this.#begun >= SLICE_MS;
  }

  async #giveWay(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#begun = performance.now();
    this.#size = 0;
    this.#bytes = 0;
  }
}

/** A text in pieces of a bounded length; a surrogate pair stays whole. */
function* cutText(text: string): Iterable<string> {
  for (let at = 0; at < text.length; ) {
    const last = text.charCodeAt(at + SLICE_CHARACTERS - 1);
    const end = at + SLICE_CHARACTERS - (last >= 0xd800 && last <= 0xdbff ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}

const ENDED: AnswerFault = { kind: 'incomplete_stream', message: messages.RESPONSE_ENDED };

const RESET: AnswerFault = { kind: 'connection', type: 'reset', message: messages.RESPONSE_ENDED };

function noContent(status: number): AnswerFault {
  return { kind: 'incomplete_stream', type: 'no_content', message: messages.formatNoContent(status) };
}

function toDocumentFault(text: string): AnswerFault {
  if (text.length > ANSWER_LIMIT) return { kind: 'too_large', message: messages.RESPONSE_TOO_LARGE };
  if (text.startsWith('<'))
    return { kind: 'malformed_chunk', type: 'not_json', message: messages.formatPage(pageText(text)) };
  if (/[}\]]$/.test(text)) return { kind: 'malformed_chunk', type: 'not_json', message: messages.NOT_JSON };
  return ENDED;
}

/** The fault behind a status other than success, with the server's own message if it sent one. */
export function readErrorFault(
  response: Pick<AnswerResponse, 'status' | 'headers'>,
  text: string,
  now: () => number = Date.now,
): AnswerFault {
  const reported = readErrorBody(text.trim());
  const retryAfterMs =
    readMilliseconds(response.headers.get('retry-after-ms')) ??
    readRetryAfter(response.headers.get('retry-after'), now());
  return { ...reported, status: response.status, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
}

function readErrorBody(text: string): AnswerFault {
  if (text === '') return { kind: 'server', message: messages.NO_REASON };
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

/** The exact pause, as some servers add it to `Retry-After`. */
function readMilliseconds(value: string | null): number | null {
  return value !== null && /^\d+(\.\d+)?$/.test(value.trim()) ? Math.ceil(Number(value)) : null;
}

/** `Retry-After` in seconds or as an HTTP date, in milliseconds from now; null when it says nothing. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null || value.trim() === '') return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds * 1000));
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** The title of a web page, or the beginning of its text. */
function pageText(text: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim();
  const words = text
    .slice(0, PAGE_READ)
    .replace(/<(script|style)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ')
    .replace(/<[^<>]*>/g, ' ');
  const said = title !== undefined && !/^(\d{3}\b.*|error|bad request)$/i.test(title) ? title : '';
  return said || words.replace(/\s+/g, ' ').trim().slice(0, 200) || messages.UNREADABLE_PAGE;
}

/** The first bytes that are no blank, and no byte order mark; null if there are none. It skips only so many of endless blanks. */
async function skipBlanks(body: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  for (let skipped = 0; skipped <= BARREN_LIMIT; ) {
    const next = await body.next();
    if (next.done) return null;
    const start = next.value.findIndex((byte) => !BLANKS.has(byte));
    if (start >= 0) return next.value.subarray(start);
    skipped += next.value.length;
  }
  return NOTHING;
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
