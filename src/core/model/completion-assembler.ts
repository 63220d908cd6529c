import { isJsonObject, type Json, type JsonObject, parseJson } from '../../protocol/json.ts';
import type { Completion, CompletionDelta, FinishReason, Usage } from '../../protocol/model.ts';
import { asArray, callsIn, FINISHES, firstText, mendChunks, namesIn, readContent, toChunks } from './chunk-shapes.ts';
import { CALL_LIMIT, OpenCalls } from './open-calls.ts';
import { type AnswerFault, isFailure, readServerFault } from './server-fault.ts';

/**
 * Makes one answer from chat-completion chunks, for all kinds of servers.
 * Servers differ in the mark that begins a call (index, id, neither), in names and ids that are missing, empty, repeated or cut, in
 * arguments that are text, objects or nothing, and in the end of an answer. One rule holds throughout: an empty value is absent, an earlier
 * value is never withdrawn, and an answer counts as whole only if the server said that it ended.
 */

/** The parts read of an answer. A failed answer keeps `text`, `reasoning` and `toolCalls`; none of its calls may run. */
export interface AnswerReading extends Omit<Completion, 'finish'> {
  /** Null exactly when there is a fault. */
  readonly finish: FinishReason | null;
  readonly fault: AnswerFault | null;
  /** The field of the reasoning, and what came beside it; absent without reasoning. */
  readonly reasoningSource?: ReasoningSource;
}

/** The names under which servers send reasoning. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking'] as const;

/** The place of the reasoning in an answer. A server wants it back there. */
export interface ReasoningSource {
  /** `content`: a part of the content. */
  readonly field: (typeof REASONING_FIELDS)[number] | 'content';
  /** `reasoning_details`: signed or encrypted items of a gateway. */
  readonly details?: readonly JsonObject[];
}

interface AnswerEvent {
  readonly type: string;
  readonly data: string;
  readonly error: string | null;
  readonly finished: boolean;
}

/** Most characters of text, reasoning and calls one answer may have. */
export const ANSWER_LIMIT = 4 * 1024 * 1024;

/** No answer begins with so many characters twice. */
const LONG_PIECE = 16;

/** The fields of `reasoning_details` that come in pieces. */
const DETAIL_TEXTS: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

/** Signs of life that some gateways send as events. */
const SIGN_OF_LIFE = /^"?(ping|pong|keep-?alive|heartbeat)"?$/i;

/** Folds the events of one answer. `makeId` names calls the server gave no id. */
export class CompletionAssembler {
  readonly #calls: OpenCalls;
  #text = '';
  #pieces = 0;
  #lastPiece = '';
  /** A piece that repeats the whole text. It is a part of the answer if more text follows. */
  #repeated = '';
  /** Each piece of text repeats the text before it. */
  #isCumulative = false;
  #reasoning = '';
  #reasoningField: ReasoningSource['field'] | null = null;
  readonly #details: JsonObject[] = [];
  #extra: JsonObject | null = null;
  #finishWord: string | null = null;
  #usage: Usage | undefined;
  #isRefusal = false;
  #fault: AnswerFault | null = null;
  #done = false;
  #size = 0;
  #percent: number | null = null;
  /** The number of the choice that counts. */
  #index = 0;
  #hasChoice = false;
  /** The parts of another choice: some servers count from 1. */
  readonly #held: JsonObject[] = [];
  #hasDelta = false;
  /** The fields of the first chunk that holds no answer in any known form. */
  #strange: string | null = null;
  #isLlama = false;

  constructor(makeId: () => string) {
    this.#calls = new OpenCalls(makeId);
  }

  /** True when nothing that follows can change the answer: `[DONE]` came, or a fault. */
  get closed(): boolean {
    return this.#done || this.#fault !== null;
  }

  /** Characters of text, reasoning and calls so far. */
  get size(): number {
    return this.#size;
  }

  /** The share of the prompt that is read, from 0 to 100; null if the server does not say. */
  get percent(): number | null {
    return this.#percent;
  }

  /** True for an answer with the timings of llama.cpp. */
  get isLlama(): boolean {
    return this.#isLlama;
  }

  /** Takes one event of a stream and tells what it added. */
  acceptEvent(event: AnswerEvent): CompletionDelta[] {
    if (this.closed) return [];
    if (event.error !== null) return this.fail(readServerFault(parseJson(event.error) ?? event.error));
    const data = event.data.trim().replace(/^(data:\s*)+/, '');
    if (data === '' || SIGN_OF_LIFE.test(data) || SIGN_OF_LIFE.test(event.type)) return [];
    if (/^"?\[?DONE\]?"?(?:\\[rn])*$/i.test(data)) {
      this.#done = true;
      return [];
    }
    const chunk = parseJson(data);
    if (chunk === null) return [];
    if (event.type === 'error' && !(isJsonObject(chunk) && Array.isArray(chunk.choices))) return this.fail(readServerFault(chunk ?? data));
    if (chunk !== undefined) return this.acceptChunk(chunk);
    const lines = toLines(data);
    if (lines !== null) return lines.flatMap((line) => this.acceptEvent({ ...event, data: line }));
    if (!event.finished) return this.fail(incomplete('the response stream ended in the middle of a chunk'));
    if (/^\W*(\w+ )?error\b/i.test(data)) return this.fail(readServerFault(data));
    return (mendChunks(data) ?? [chunk]).flatMap((one) => this.acceptChunk(one));
  }

  /** Takes one parsed chunk, or one whole `chat.completion`. */
  acceptChunk(chunk: unknown): CompletionDelta[] {
    if (this.closed) return [];
    const bodies = toChunks(chunk);
    const whole = Array.isArray(chunk) && chunk.length === 1 ? chunk[0] : chunk;
    if (bodies === null && !isJsonObject(whole)) return this.fail(malformed('the server sent a chunk that is not a JSON object'));
    const deltas: CompletionDelta[] = [];
    for (const body of bodies ?? []) this.#takeBody(body, deltas);
    if (!isJsonObject(whole)) return deltas;
    if (bodies === null) {
      this.#takeUsage(whole);
      this.#takeProgress(whole);
      this.#strange ??= namesIn(whole);
    }
    if (isFailure(whole)) this.fail(readServerFault(isJsonObject(whole.base_resp) ? whole.base_resp : whole));
    return deltas;
  }

  #takeBody(body: JsonObject, deltas: CompletionDelta[]): void {
    this.#takeUsage(body);
    this.#takeProgress(body);
    for (const choice of asArray(body.choices)) {
      if (!isJsonObject(choice)) continue;
      if (Number(choice.index ?? 0) === this.#index) this.#takeChoice(choice, deltas);
      else if (!this.#hasChoice) this.#hold(choice, deltas);
    }
    if (isFailure(body)) this.fail(readServerFault(body));
    if (this.#size > ANSWER_LIMIT) this.fail(tooLarge(`is longer than ${ANSWER_LIMIT / 1024 / 1024} MB`));
  }

  /** Holds a part of a choice that is not the first, until its end shows that there is no first one. */
  #hold(choice: JsonObject, deltas: CompletionDelta[]): void {
    if ((this.#held[0]?.index ?? choice.index) !== choice.index) return;
    this.#held.push(choice);
    this.#size += JSON.stringify(choice).length;
    if (firstText(choice.finish_reason) !== '') this.#release(deltas);
  }

  #release(deltas: CompletionDelta[]): void {
    this.#index = Number(this.#held[0]?.index ?? 0);
    for (const choice of this.#held.splice(0)) this.#takeChoice(choice, deltas);
  }

  /** Ends the answer as failed; the first fault counts. */
  fail(fault: AnswerFault): CompletionDelta[] {
    this.#fault ??= fault;
    return [];
  }

  /** The whole, once the body has ended. */
  end(): AnswerReading {
    if (!this.#hasChoice) this.#release([]);
    const toolCalls = this.#calls.close(this.#extra);
    const finish = this.#finish(toolCalls.length > 0);
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      toolCalls,
      finish: this.#fault === null ? finish : null,
      ...(this.#isRefusal ? { refused: true } : {}),
      ...(this.#usage === undefined ? {} : { usage: this.#usage }),
      ...this.#source(),
      fault: this.#fault,
    };
  }

  #source(): { readonly reasoningSource?: ReasoningSource } {
    const field = this.#reasoningField ?? (this.#details.length > 0 ? 'reasoning' : null);
    if (field === null) return {};
    return { reasoningSource: { field, ...(this.#details.length === 0 ? {} : { details: this.#details }) } };
  }

  /** The way the answer ended. A stream that merely stopped is no finished answer. */
  #finish(hasCalls: boolean): FinishReason | null {
    if (!this.#hasChoice && this.#strange !== null)
      this.fail({ kind: 'incomplete_stream', type: 'no_choices', message: `the response has no answer, only ${this.#strange}` });
    if (this.#finishWord === null && !this.#done) {
      this.fail(incomplete('the response stream ended unexpectedly'));
      return null;
    }
    const word = (this.#finishWord ?? '').toLowerCase();
    const finish = FINISHES.find(([, words]) => words.test(word))?.[0] ?? 'stop';
    if (finish !== 'failed') return finish === 'stop' && hasCalls ? 'tool_calls' : finish;
    this.fail({ kind: 'server', type: 'server_error', message: `the server gave up on the answer (finish_reason "${this.#finishWord}")` });
    return null;
  }

  /** The part that the server has cached does not count. */
  #takeProgress({ timings, prompt_progress: progress }: JsonObject): void {
    if (isJsonObject(timings) && typeof timings.prompt_n === 'number') this.#isLlama = true;
    if (!isJsonObject(progress)) return;
    const [total, cached, done] = [Number(progress.total), Number(progress.cache), Number(progress.processed)];
    const share = total > cached ? (done - cached) / (total - cached) : 1;
    if (share >= 0 && share <= 1) this.#percent = Math.floor(share * 100);
  }

  #takeChoice(choice: JsonObject, deltas: CompletionDelta[]): void {
    this.#hasChoice = true;
    if (isJsonObject(choice.delta)) {
      this.#hasDelta = true;
      this.#takeDelta(choice.delta, deltas, firstText(choice.finish_reason) !== '');
    }
    if (isJsonObject(choice.message)) this.#takeDelta(this.#newIn(choice.message), deltas);
    else if (!isJsonObject(choice.delta)) this.#addText(firstText(choice.delta, choice.text, choice.content), deltas);
    if (isFailure(choice)) this.fail(readServerFault(choice));
    const finish = firstText(choice.finish_reason);
    const native = firstText(choice.native_finish_reason);
    // Gateways write `stop` for an answer that failed before it began.
    if (finish !== '' && finish !== 'null') this.#finishWord = this.#size === 0 && /error|malformed/i.test(native) ? native : finish;
    if (isJsonObject(choice.usage)) this.#takeUsage(choice);
  }

  /**
   * The part of a `message` that is new. Behind streamed deltas a message only repeats them. In a stream of messages each is the next
   * piece, or the answer so far.
   */
  #newIn(message: JsonObject): JsonObject {
    if (this.#text === '' && this.#reasoning === '' && this.#calls.isEmpty) return message;
    const { text } = readContent(message.content);
    if (this.#hasDelta) return {};
    const calls = this.#calls.isEmpty ? (message.tool_calls ?? []) : [];
    return { content: text.startsWith(this.#text) ? text.slice(this.#text.length) : text, tool_calls: calls };
  }

  #takeDelta(delta: JsonObject, deltas: CompletionDelta[], isLast = false): void {
    const parts = readContent(delta.content);
    const field = REASONING_FIELDS.find((name) => firstText(delta[name]) !== '');
    const named = field === undefined ? '' : firstText(delta[field]);
    this.#reasoningField ??= field ?? null;
    if (parts.reasoning !== '') this.#reasoningField ??= 'content';
    this.#addReasoning(named + parts.reasoning, deltas);
    for (const detail of asArray(delta.reasoning_details)) if (isJsonObject(detail)) this.#addDetail(detail);
    const refusal = firstText(delta.refusal);
    if (refusal !== '') this.#isRefusal = true;
    this.#addText(parts.text + refusal, deltas, isLast);
    const calls = toList(delta.tool_calls ?? delta.tool_call);
    [...calls, ...callsIn(delta.content)].forEach((entry, position) => {
      if (isJsonObject(entry) && !this.closed) this.#takeCall(entry, deltas, position > 0);
    });
    if (isJsonObject(delta.extra_content)) {
      this.#size += JSON.stringify(delta.extra_content).length;
      this.#extra = { ...this.#extra, ...delta.extra_content };
    }
    if (isJsonObject(delta.function_call)) this.#takeCall({ function: delta.function_call }, deltas, false);
  }

  #addText(piece: string, deltas: CompletionDelta[], isLast = false): void {
    if (piece === '') return;
    const repeated = this.#repeated;
    this.#repeated = '';
    if (repeated !== '') this.#append(repeated, deltas);
    if (this.#isRepeated(piece, isLast)) this.#repeated = isLast ? '' : piece;
    else this.#append(piece, deltas);
  }

  #append(piece: string, deltas: CompletionDelta[]): void {
    this.#lastPiece = piece;
    // Some servers send the answer so far in each chunk. The second piece shows it, because no other text begins so.
    this.#pieces += 1;
    const repeats = piece.length > this.#text.length && piece.startsWith(this.#text);
    if (this.#pieces === 2) this.#isCumulative = repeats && goesOn(this.#text, piece.slice(this.#text.length));
    const text = repeats && this.#isCumulative ? piece.slice(this.#text.length) : piece;
    this.#text += text;
    this.#size += text.length;
    deltas.push({ type: 'text', text });
  }

  /** Some servers send the last piece again with the end, or the whole text. Single letters and digits may follow themselves. */
  #isRepeated(piece: string, isLast: boolean): boolean {
    if (!/\p{L}{3}/u.test(piece)) return false;
    return (isLast && piece === this.#lastPiece) || (piece === this.#text && (isLast || piece.length >= LONG_PIECE));
  }

  #addReasoning(text: string, deltas: CompletionDelta[]): void {
    if (text === '') return;
    this.#reasoning += text;
    this.#size += text.length;
    deltas.push({ type: 'reasoning', text });
  }

  /** Pieces of one item have its type and its index, and each brings a part of its text. */
  #addDetail(detail: JsonObject): void {
    this.#size += JSON.stringify(detail).length;
    const at = this.#details.findLastIndex(({ type, index }) => type === detail.type && index === detail.index && index !== undefined);
    const known = this.#details[at];
    if (known === undefined) {
      this.#details.push(detail);
      return;
    }
    const joined = Object.entries(detail).map(([key, value]): [string, Json] => {
      const before = known[key];
      const isGrowing = DETAIL_TEXTS.has(key) && typeof before === 'string' && typeof value === 'string';
      return [key, isGrowing ? before + value : (value ?? before ?? null)];
    });
    this.#details[at] = { ...known, ...Object.fromEntries(joined) };
  }

  #takeCall(entry: JsonObject, deltas: CompletionDelta[], follows: boolean): void {
    this.#size += this.#calls.take(entry, follows, deltas);
    if (this.#calls.areTooMany) this.fail(tooLarge(`has more than ${CALL_LIMIT} tool calls`));
  }

  #takeUsage(holder: JsonObject): void {
    const groq = isJsonObject(holder.x_groq) ? holder.x_groq.usage : undefined;
    const usage = isJsonObject(holder.usage) ? holder.usage : groq;
    if (!isJsonObject(usage)) return;
    const details = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details.cached_tokens : undefined;
    const cached = firstCount(details, usage.cached_tokens, usage.prompt_cache_hit_tokens) ?? this.#usage?.cachedTokens;
    this.#usage = {
      promptTokens: firstCount(usage.prompt_tokens, usage.input_tokens) ?? this.#usage?.promptTokens ?? 0,
      completionTokens: firstCount(usage.completion_tokens, usage.output_tokens) ?? this.#usage?.completionTokens ?? 0,
      ...(cached === undefined ? {} : { cachedTokens: cached }),
    };
  }
}

/** The lines of an event whose every line is a chunk, because the server left out the blank lines between; null for others. */
function toLines(data: string): readonly string[] | null {
  const lines = data.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every((line) => isJsonObject(parseJson(line)) || line === '[DONE]') ? lines : null;
}

/** A list, a list of the one value, or a list that came as text. */
function toList(value: Json | undefined): readonly Json[] {
  if (typeof value !== 'string') return isJsonObject(value) ? [value] : asArray(value);
  const read = parseJson(value);
  return Array.isArray(read) ? read : [];
}

/** Whether a text ends at the end of a word, and what follows is no laughter. */
function goesOn(text: string, next: string): boolean {
  const isWord = /\p{L}/u.test(text) && (/\s$/.test(text) || /^[\s,.:]/.test(next));
  return isWord && !next.trim().startsWith(text.trim());
}

function firstCount(...values: (Json | undefined)[]): number | undefined {
  return values.find((value): value is number => typeof value === 'number');
}

function incomplete(message: string): AnswerFault {
  return { kind: 'incomplete_stream', message };
}

function malformed(message: string): AnswerFault {
  return { kind: 'malformed_chunk', message };
}

function tooLarge(why: string): AnswerFault {
  return { kind: 'too_large', message: `the answer ${why}` };
}
