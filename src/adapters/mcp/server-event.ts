import type { Json, JsonObject } from '../../protocol/json.ts';

/** A kind of list that a server keeps. */
export type ListKind = 'tools' | 'resources' | 'prompts';

/** The progress of one call, as its server reports it. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** A line of a server's log. */
export interface LogEntry {
  readonly level: string;
  readonly text: string;
}

/** Something that a server reports beside the answers to calls. The texts are untrusted. */
export type ServerEvent =
  | { readonly type: 'list-changed'; readonly alias: string; readonly kind: ListKind }
  /** Tools are no longer what they were, by their full names. */
  | { readonly type: 'definition-changed'; readonly alias: string; readonly tools: readonly string[] }
  | { readonly type: 'log'; readonly alias: string; readonly entry: LogEntry };

/** A request of a server for input of the user: a form, or a page to visit. */
export type Elicitation =
  | { readonly mode: 'form'; readonly alias: string; readonly message: string; readonly schema: JsonObject }
  | { readonly mode: 'url'; readonly alias: string; readonly message: string; readonly url: string };

/** The user's answer; only an accepted form has content. */
export interface ElicitationAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: JsonObject;
}

/** A request of a server for an answer of the user's model. The texts are untrusted. */
export interface Sampling {
  readonly alias: string;
  readonly system: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
  /** The tokens that the server may use in the call, by its configuration. */
  readonly tokens: number;
}

/** The answer, with the name of the model that gave it. */
export interface SamplingAnswer {
  readonly model: string;
  readonly text: string;
}

/** The limits of one call, and the session that made it: what the server reports or asks meanwhile goes there. */
export interface CallOptions {
  /** Silence in milliseconds; progress starts it anew. */
  readonly timeoutMs?: number;
  /** The most milliseconds for the call, with progress too. */
  readonly totalTimeoutMs?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Asks the user; without it aish declines. */
  readonly onElicitation?: (request: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>;
  /** Asks the model; without it, and where it throws, aish refuses. */
  readonly onSampling?: (request: Sampling, signal: AbortSignal) => Promise<SamplingAnswer>;
}

/** A list of a server, by the method that asks for it and the key of its items. */
export interface ListRequest {
  readonly method: 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list';
  readonly key: string;
  readonly kind: ListKind;
}

/** The list of tools, which every server with tools has. */
export const TOOL_LIST: ListRequest = { method: 'tools/list', key: 'tools', kind: 'tools' };

/** The items of a list; `isCut` if the server has more than aish takes. */
export interface Listed {
  readonly items: readonly Json[];
  readonly isCut: boolean;
}

/** The other lists. */
export const RESOURCE_LIST: ListRequest = { method: 'resources/list', key: 'resources', kind: 'resources' };
export const TEMPLATE_LIST: ListRequest = {
  method: 'resources/templates/list',
  key: 'resourceTemplates',
  kind: 'resources',
};
export const PROMPT_LIST: ListRequest = { method: 'prompts/list', key: 'prompts', kind: 'prompts' };
