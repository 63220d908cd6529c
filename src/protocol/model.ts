import type { JsonObject } from './json.ts';
import type { Message } from './message.ts';

/** Why a model stopped, normalised over all servers. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** Tokens of one request, where the server tells them. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens?: number;
}

/** A tool as the request's `tools` field offers it. */
export interface OfferedTool {
  /** The wire name, within `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  /** Never empty: some servers answer 500 without one. */
  readonly description: string;
  readonly parameters: JsonObject;
}

/** One request to a model. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly OfferedTool[];
}

/** A call as the model wrote it: `arguments` is the raw text, which may be broken JSON. */
export interface RawToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** What the server put beside the call (`extra_content`) and wants back with it, such as a signed thought. */
  readonly extra?: JsonObject;
}

/** The whole of one answer. */
export interface Completion {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly RawToolCall[];
  readonly finish: FinishReason;
  readonly usage?: Usage;
}

/** What arrives while an answer streams. */
export type CompletionDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** A tool call has begun; its arguments are still coming. */
  | { readonly type: 'tool-call'; readonly name: string };
