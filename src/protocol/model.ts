import type { EndpointProfile } from './endpoint-profile.ts';
import type { JsonObject } from './json.ts';
import type { RecalledFact } from './memory.ts';

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

/** A call from the model. `arguments` is the raw text, which may be invalid JSON. */
export interface RawToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  /** Extra data of the server for the call (`extra_content`), which it wants back, such as a signed thought. */
  readonly extra?: JsonObject;
}

/** The wires that aish has itself: chat completions, and the own wires of providers. */
type OwnWire = 'openai-chat' | 'anthropic' | 'openai' | 'google';

/** The wire of a model: one that aish has itself, or the name of a provider package that the user added. */
export type Provider = OwnWire | (string & {});

/** How much a model thinks before it answers. */
export type ReasoningEffort = 'none' | 'low' | 'medium' | 'high';

/** A part of an answer, with the data that its provider wants back beside it: a signature, or encrypted reasoning. */
export type AnswerPart =
  /** The next characters of the reasoning, or of the text. */
  | { readonly type: 'reasoning' | 'text'; readonly length: number; readonly data?: JsonObject }
  /** The next call, with the id that the provider gave it. */
  | { readonly type: 'call'; readonly id: string; readonly data?: JsonObject };

/** The parts of an answer in their order. aish sends them back only to the model that they came from. */
export interface AnswerOrigin {
  readonly provider: Provider;
  readonly model: string;
  readonly parts: readonly AnswerPart[];
}

/** A complete answer. */
export interface Completion {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly RawToolCall[];
  readonly finish: FinishReason;
  /** The server marked the text as a refusal. */
  readonly refused?: true;
  readonly usage?: Usage;
  readonly origin?: AnswerOrigin;
}

/** A part of an answer while it streams. */
export type CompletionDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** A tool call has begun, or its arguments have grown by so many characters. */
  | { readonly type: 'tool-call'; readonly name: string; readonly characters?: number };

/** Why a request has to wait before it is sent again. */
export type DelayReason =
  | 'loading'
  | 'rate-limited'
  | 'overloaded'
  /** A gateway in front of the model does not reach it. */
  | 'unavailable'
  | 'timed-out'
  | 'server-error'
  | 'connection-lost'
  | 'connection-refused';

/** A wait before a request is sent again. */
export interface RequestDelay {
  readonly reason: DelayReason;
  /** The name of the endpoint. */
  readonly model: string;
  readonly waitMs: number;
  /** Which repetition follows, from 1, and of how many; null where only time limits them. */
  readonly attempt: number;
  readonly of: number | null;
  /** One line of the server's own words; empty without any. */
  readonly said: string;
}

/** A call in an assistant message of chat completions. */
export interface MessageToolCall {
  /** Nine letters and digits: the only form that every template accepts. */
  readonly id: string;
  /** The wire name, `alias__tool`. */
  readonly name: string;
  /** Valid JSON text of an object, never empty. */
  readonly arguments: string;
  /** Extra data of the call, sent back as `extra_content`. */
  readonly extra?: JsonObject;
}

/** An image inside a user message; `data` is base64. */
interface MessageImage {
  readonly mediaType: ImageType;
  readonly data: string;
}

/** A message to the model. Roles alternate; a system message comes only first. */
export type Message =
  | { readonly role: 'system'; readonly content: string }
  /** Images follow the text, for models that accept them. */
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly MessageImage[] }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly MessageToolCall[];
      /** Reasoning that came with tool calls; some servers reject the history without it. */
      readonly reasoning?: string;
      /** For a provider that wants the parts of the answer back as they came. */
      readonly origin?: AnswerOrigin;
    }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

/** A file sent with a message, as it was when the message was sent. */
export type AttachedFile =
  /** A text, a part of a text, or a directory listing. */
  | {
      readonly type: 'text';
      readonly path: string;
      readonly about: string;
      readonly text: string;
      /** A resource or a prompt of an MCP server, and no file: untrusted content. */
      readonly server?: true;
    }
  /** An image, for models that accept them; `data` is base64. */
  | {
      readonly type: 'image';
      readonly path: string;
      readonly about: string;
      readonly mediaType: ImageType;
      readonly data: string;
    };

/** The image types that models accept. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

/**
 * Everything except the conversation that determines the bytes of a request. With it aish can rebuild the requests of a log byte for byte.
 */
export interface RequestPrefix {
  /** The name in `[models]`, or of a discovered server. */
  readonly endpoint: string;
  /** The server's name for the model; null if the request names none. */
  readonly model: string | null;
  /** The server, because some accept fewer fields than others. Only the host of its address, which contains no key. */
  readonly host: string;
  /** How the server differs from others. */
  readonly profile?: EndpointProfile;
  /** The wire, and the effort that the request asks for; absent for chat completions. */
  readonly provider?: Provider;
  readonly reasoningEffort?: ReasoningEffort;
  readonly outputBudget: number;
  readonly images: boolean;
  /** The directory in the first user message; absent in older logs, where the system message has it. */
  readonly cwd?: string;
  /** The facts in the first user message, if any. */
  readonly memory?: readonly RecalledFact[];
  /** The system message. */
  readonly system: string;
  /** The MCP servers whose instructions the system message ends with. */
  readonly instructed?: readonly string[];
  readonly tools: readonly OfferedTool[];
}

/** The source of a context window: the configuration, the server, or a rejected request. */
type WindowOrigin = 'configured' | 'server' | 'refusal';

/** The size of a model's context window. */
export interface ContextWindow {
  /** Name of the endpoint. */
  readonly model: string;
  readonly tokens: number;
  readonly origin: WindowOrigin;
}

/**
 * The reason for a compaction: the conversation nears the end of the window, the server rejected it as too long, or the user asked for it.
 */
export type CompactionReason = 'threshold' | 'overflow' | 'user';

/** The replacement for the beginning of a conversation in all later requests. The log keeps the original. */
export interface Compaction {
  /** The number of replaced entries. */
  readonly upTo: number;
  /** The summary by a model; empty if there is none. */
  readonly summary: string;
  /** The summary without a model: the user's messages, failures, and changed files. */
  readonly kept: string;
  /** Texts of entries before this number are cut to `room` characters each. */
  readonly before: number;
  /** Null for uncut texts. */
  readonly room: number | null;
}

/** Facts about a message and the session that say how hard the next turn may be. */
export interface TurnFacts {
  readonly characters: number;
  /** Attached files, and piped text. */
  readonly files: number;
  /** Tool calls of the turn before. */
  readonly calls: number;
  /** Failed calls and failed turns since the last turn that went well. */
  readonly failures: number;
}

/** Why a turn has its model: the score, and the facts that made it. */
export interface ModelChoice {
  readonly score: number;
  readonly points: Readonly<Partial<Record<keyof TurnFacts, number>>>;
  readonly role: 'fast' | 'deep' | null;
  /** The model for this role is in the cloud, and the conversation may not go there. */
  readonly isHeldBack?: true;
}

/** The custom command whose text a message is. */
export interface SentCommand {
  readonly name: string;
  readonly path: string;
  /** The tools that its turn offers, as `server.tool` or `server.*`. */
  readonly tools?: readonly string[];
}
