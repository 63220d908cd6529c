import type { JsonObject } from './json.ts';

/** Why a model stopped, normalised over all servers. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** Tokens of one request, if the server reports them. */
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

/** One call inside an assistant message, as chat completions carry it. */
export interface MessageToolCall {
  /** Nine letters and digits: the one form every template takes. */
  readonly id: string;
  /** The wire name, `alias__tool`. */
  readonly name: string;
  /** Valid JSON text of an object, never empty. */
  readonly arguments: string;
  /** What came beside the call; goes back as `extra_content`. */
  readonly extra?: JsonObject;
}

/** An image inside a user message; `data` is base64. */
interface MessageImage {
  readonly mediaType: ImageType;
  readonly data: string;
}

/** What the model is sent. Roles alternate; a system message stands only first. */
export type Message =
  | { readonly role: 'system'; readonly content: string }
  /** Images stand behind the text, for models that take them. */
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly MessageImage[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly MessageToolCall[];
      /** Thinking that came with tool calls; some servers refuse the history without it. */
      readonly reasoning?: string;
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/** A file that goes along with a message, as it was when the message was sent. */
export type AttachedFile =
  /** A text, a part of one, or the list of a directory. */
  | { readonly type: 'text'; readonly path: string; readonly about: string; readonly text: string }
  /** An image, for models that take them; `data` is base64. */
  | {
      readonly type: 'image';
      readonly path: string;
      readonly about: string;
      readonly mediaType: ImageType;
      readonly data: string;
    };

/** The kinds of images that models take. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/**
 * What shapes the bytes of a request beside what was said and done in the session. With it the requests of a log can be
 * made again, byte for byte.
 */
export interface RequestPrefix {
  /** The name in `[models]`, or what was found. */
  readonly endpoint: string;
  /** The server's name for the model; null where the request names none. */
  readonly model: string | null;
  /** The server: some take fewer fields than others. Nothing of its address but the host, which holds no key. */
  readonly host: string;
  readonly toolTurns: 'role' | 'text';
  readonly outputBudget: number;
  readonly images: boolean;
  /** The system message as it was. */
  readonly system: string;
  readonly tools: readonly OfferedTool[];
}

/** How it is known what a model can hold at once: said in the configuration, asked of its server, or learned from a refusal. */
type WindowOrigin = 'configured' | 'server' | 'refusal';

/** How much a model can hold at once. */
export interface ContextWindow {
  /** Name of the endpoint. */
  readonly model: string;
  readonly tokens: number;
  readonly origin: WindowOrigin;
}

/** Why a conversation is compacted: it comes near the end of the window, the server refused it as too long, or a user wishes so. */
export type CompactionReason = 'threshold' | 'overflow' | 'user';

/** What takes the place of the beginning of a conversation in all later requests. The log keeps that beginning. */
export interface Compaction {
  /** So many of the session's entries are covered. */
  readonly upTo: number;
  /** What a model wrote of them; empty where none could. */
  readonly summary: string;
  /** What was put together without a model: the user's words, what failed, which files were changed. */
  readonly kept: string;
  /** Entries before this number are shown with texts of at most `room` characters each. */
  readonly before: number;
  /** Null for as they are. */
  readonly room: number | null;
}
