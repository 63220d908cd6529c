import { isJsonObject, type Json, type JsonObject, omitUndefined } from '../../protocol/json.ts';
import type { AnswerOrigin, Message } from '../../protocol/model.ts';
import { REASONING_FIELDS, type ReasoningSource } from './completion-assembler.ts';
import type { ThoughtTags } from './think-splitter.ts';

/** The place of the reasoning in an answer of chat completions. The next request sends it back there. */
export interface ReasoningPlace extends ReasoningSource {
  /** The tags in the content. */
  readonly tags?: ThoughtTags;
}

/** The origin of an answer of chat completions; undefined if it has no reasoning. */
export function toChatOrigin(
  { text, reasoning }: { readonly text: string; readonly reasoning: string },
  { field, details, tags }: ReasoningPlace,
  model: string,
): AnswerOrigin {
  const data: JsonObject = { field, ...omitUndefined({ open: tags?.open, close: tags?.close, details }) };
  const parts = [{ type: 'reasoning', length: reasoning.length, data } as const, { type: 'text', length: text.length } as const];
  return { provider: 'openai-chat', model, parts };
}

/** The place of the reasoning of a message, if the message came from this model. */
export function placeFor(origin: AnswerOrigin, model: string): ReasoningPlace | null {
  const data = origin.parts.find(({ type }) => type === 'reasoning')?.data;
  if (origin.provider !== 'openai-chat' || origin.model !== model || data === undefined) return null;
  const { field, open, close, details } = data;
  const tags = typeof open === 'string' && typeof close === 'string' ? { tags: { open, close } } : {};
  const items = Array.isArray(details) ? { details: details.filter((one: Json): one is JsonObject => isJsonObject(one)) } : {};
  const known = [...REASONING_FIELDS, 'content' as const].find((name) => name === field);
  return { field: known ?? 'reasoning_content', ...tags, ...items };
}

/** Whether the chat template of a model opens the reasoning, as far as its last answer shows that. */
export function opensReasoning(messages: readonly Message[], model: string): boolean {
  const last = messages.findLast((message) => message.role === 'assistant' && message.origin?.model === model);
  if (last?.role !== 'assistant' || last.origin === undefined) return false;
  return placeFor(last.origin, model)?.tags?.open === '';
}
