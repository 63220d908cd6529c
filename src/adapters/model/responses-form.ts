import type { JsonObject } from '../../protocol/json.ts';

const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Events that carry parts of an answer, besides those that end it. */
const EVENTS =
  /^(error|response\.(created|in_progress|output_item|output_text|content_part|function_call|reasoning|refusal))/;

/** True for the event that ends an answer of the Responses API. */
export function isResponsesEnd({ type }: JsonObject): boolean {
  return ENDS.has(type);
}

/** True for an event of Responses that carries no part of an answer. */
export function isUnknownToResponses({ type }: JsonObject): boolean {
  return typeof type === 'string' && !ENDS.has(type) && !EVENTS.test(type);
}
