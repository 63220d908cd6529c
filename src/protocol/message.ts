import type { ImageType } from './attachment.ts';
import type { JsonObject } from './json.ts';

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

/** A picture inside a user message; `data` is base64. */
export interface MessageImage {
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
