import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';
import { ANSWER_LIMIT, type AnswerReading } from '../../core/model/completion-assembler.ts';
import { CALL_LIMIT } from '../../core/model/open-calls.ts';
import { type AnswerFault, readServerFault } from '../../core/model/server-fault.ts';
import { isJsonObject, type JsonObject, omitUndefined, parseJson } from '../../protocol/json.ts';
import type { AnswerPart, CompletionDelta, FinishReason, Provider, RawToolCall, Usage } from '../../protocol/model.ts';
import { formatGaveUp, RESPONSE_ENDED, RESPONSE_TOO_LARGE } from './messages.ts';

/** Facts about a provider's stream that its package does not pass on. */
export interface StreamForm {
  readonly provider: Provider;
  /** True for the event that ends a whole answer. Without one the answer broke off. If absent, the package tells the end. */
  readonly isEnd?: (event: JsonObject) => boolean;
  /** True for an event that a newer server may send, and that may be left out. */
  readonly isUnknown: (event: JsonObject) => boolean;
}

type Changing<T> = { -readonly [K in keyof T]: T[K] };

/** Folds the parts of a provider package's stream into one answer. */
export class ProviderAnswer {
  readonly #form: StreamForm;
  readonly #model: string;
  readonly #parts: Changing<AnswerPart>[] = [];
  /** The open block of text or reasoning by its id. */
  readonly #open = new Map<string, Changing<AnswerPart>>();
  readonly #calls: RawToolCall[] = [];
  /** Calls whose arguments may still come. */
  readonly #begun: RawToolCall[] = [];
  #text = '';
  #reasoning = '';
  #size = 0;
  #last: JsonObject = {};
  #hasEnded = false;
  #isInterleaved = false;
  #finish: LanguageModelV3FinishReason | null = null;
  #usage: Usage | undefined;
  #fault: AnswerFault | null = null;

  constructor(form: StreamForm, model: string) {
    this.#form = form;
    this.#model = model;
  }

  /** Characters of text, reasoning and calls so far. */
  get size(): number {
    return this.#size;
  }

  get hasFailed(): boolean {
    return this.#fault !== null;
  }

  /** Takes one part of the stream and returns what it added. */
  accept(part: LanguageModelV3StreamPart): readonly CompletionDelta[] {
    switch (part.type) {
      case 'raw':
        return this.#takeEvent(part.rawValue);
      case 'text-start':
      case 'reasoning-start':
        return this.#begin(part.type === 'text-start' ? 'text' : 'reasoning', part.id, part.providerMetadata);
      case 'text-delta':
      case 'reasoning-delta':
        return this.#grow(
          part.type === 'text-delta' ? 'text' : 'reasoning',
          part.id,
          part.delta,
          part.providerMetadata,
        );
      case 'text-end':
      case 'reasoning-end':
        this.#note(
          this.#open.get(`${part.type === 'text-end' ? 'text' : 'reasoning'} ${part.id}`),
          part.providerMetadata,
        );
        return [];
      case 'tool-input-start':
        this.#begun.push({ id: part.id, name: part.toolName, arguments: '' });
        return [{ type: 'tool-call', name: part.toolName }];
      case 'tool-input-delta':
        return this.#growArguments(part.id, part.delta.length);
      case 'tool-call':
        this.#takeCall(part.toolCallId, part.toolName, part.input, part.providerMetadata);
        return [];
      case 'finish':
        this.#finish = part.finishReason;
        // Packages finish a stream that broke off with `other`, and without a word of the provider.
        this.#hasEnded ||= this.#form.isEnd === undefined && part.finishReason.raw !== undefined;
        this.#usage = toUsage(part.usage);
        return [];
      case 'error':
        return this.#takeError(part.error);
      case 'tool-input-end':
      case 'tool-result':
      case 'tool-approval-request':
      case 'file':
      case 'source':
      case 'stream-start':
      case 'response-metadata':
        return [];
    }
  }

  /** Ends the answer as failed; the first fault counts. */
  fail(fault: AnswerFault): readonly CompletionDelta[] {
    this.#fault ??= fault;
    return [];
  }

  /** The whole, once the stream has ended. */
  end(): AnswerReading {
    const finish = this.#toFinish();
    const origin = { provider: this.#form.provider, model: this.#model, parts: this.#parts };
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      // A broken answer shows how far it came; none of its calls runs.
      toolCalls: this.#fault === null ? this.#calls : this.#begun,
      finish: this.#fault === null ? finish : null,
      ...omitUndefined({ usage: this.#usage }),
      fault: this.#fault,
      ...(this.#parts.length === 0 || this.#isInterleaved ? {} : { origin }),
    };
  }

  #toFinish(): FinishReason | null {
    if (!this.#hasEnded || this.#finish === null) this.fail({ kind: 'incomplete_stream', message: RESPONSE_ENDED });
    const hasCalls = this.#calls.length > 0;
    switch (this.#finish?.unified) {
      case 'length':
        return 'length';
      case 'content-filter':
        return 'content_filter';
      case 'error':
        this.fail({ kind: 'server', message: formatGaveUp(this.#finish.raw ?? 'error') });
        return null;
      case 'stop':
      case 'tool-calls':
      case 'other':
      case undefined:
        return hasCalls ? 'tool_calls' : 'stop';
    }
  }

  #takeEvent(event: unknown): readonly CompletionDelta[] {
    this.#last = isJsonObject(event) ? event : {};
    if (this.#form.isEnd?.(this.#last) === true) this.#hasEnded = true;
    return [];
  }

  #begin(type: 'text' | 'reasoning', id: string, metadata: Metadata): readonly CompletionDelta[] {
    const part: Changing<AnswerPart> = { type, length: 0 };
    this.#parts.push(part);
    this.#open.set(`${type} ${id}`, part);
    this.#note(part, metadata);
    return [];
  }

  #grow(type: 'text' | 'reasoning', id: string, text: string, metadata: Metadata): readonly CompletionDelta[] {
    if (!this.#open.has(`${type} ${id}`)) this.#begin(type, id, undefined);
    const part = this.#open.get(`${type} ${id}`);
    this.#note(part, metadata);
    if (text === '' || part === undefined || part.type === 'call') return [];
    // Two blocks that grow in turn cannot be cut out of one text again.
    if (this.#parts.findLast((other) => other.type === type) !== part) this.#isInterleaved = true;
    part.length += text.length;
    if (type === 'text') this.#text += text;
    else this.#reasoning += text;
    this.#count(text.length);
    return [{ type, text }];
  }

  #takeCall(id: string, name: string, input: string, metadata: Metadata): void {
    const part: Changing<AnswerPart> = { type: 'call', id };
    this.#parts.push(part);
    this.#note(part, metadata);
    this.#calls.push({ id, name, arguments: input.trim() === '' ? '{}' : input });
    this.#count(id.length + name.length);
    if (this.#calls.length > CALL_LIMIT) this.fail({ kind: 'too_large', message: RESPONSE_TOO_LARGE });
  }

  /** Keeps the provider's own data of a part; what comes later completes it. */
  #note(part: Changing<AnswerPart> | undefined, metadata: Metadata): void {
    const data = metadata?.[this.#form.provider];
    const kept = Object.entries(data ?? {}).filter(([, value]) => value !== null && value !== undefined);
    if (part === undefined || kept.length === 0) return;
    const json = parseJson(JSON.stringify(Object.fromEntries(kept)));
    if (isJsonObject(json)) part.data = { ...part.data, ...json };
  }

  #growArguments(id: string, length: number): readonly CompletionDelta[] {
    const before = this.#size;
    this.#count(length);
    const grown = (this.#size >> 12) - (before >> 12);
    const name = this.#begun.find((call) => call.id === id)?.name ?? '';
    return grown === 0 ? [] : [{ type: 'tool-call', name, characters: grown << 12 }];
  }

  #count(characters: number): void {
    this.#size += characters;
    if (this.#size > ANSWER_LIMIT) this.fail({ kind: 'too_large', message: RESPONSE_TOO_LARGE });
  }

  #takeError(error: unknown): readonly CompletionDelta[] {
    const isOfEvent = error instanceof Error && error.name === 'AI_TypeValidationError';
    if (isOfEvent && this.#last.error === undefined && this.#form.isUnknown(this.#last)) return [];
    return this.fail(isOfEvent && this.#last.error !== undefined ? readServerFault(this.#last) : toStreamFault(error));
  }
}

type Metadata = Readonly<Record<string, object>> | undefined;

/** The fault behind an error of a provider package. Its own words are used only if the server sent none. */
export function toStreamFault(error: unknown): AnswerFault {
  if (
    typeof error === 'object' &&
    error !== null &&
    'responseBody' in error &&
    typeof error.responseBody === 'string'
  ) {
    const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : undefined;
    return { ...readServerFault(parseJson(error.responseBody) ?? error.responseBody), ...omitUndefined({ status }) };
  }
  if (error instanceof Error) {
    const [message = ''] = error.message.split('\n');
    return { kind: 'malformed_chunk', message };
  }
  return readServerFault(error);
}

function toUsage({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage | undefined {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return undefined;
  return {
    promptTokens: inputTokens.total ?? 0,
    completionTokens: outputTokens.total ?? 0,
    ...omitUndefined({ cachedTokens: inputTokens.cacheRead }),
  };
}
