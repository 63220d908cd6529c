import type { GoogleLanguageModelOptions } from '@ai-sdk/google';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { ReasoningEffort } from '../../protocol/model.ts';

/** Tokens that Gemini 2.5 may think with, by effort. */
const BUDGETS = { none: 0, low: 2048, medium: 8192, high: 24_576 } as const;

/** The options for how much Gemini thinks. */
export function thinkingOf(model: string, effort: ReasoningEffort | undefined) {
  if (effort === undefined) return {};
  const takesBudget = /gemini-2\.5/.test(model);
  const amount = takesBudget
    ? { thinkingBudget: BUDGETS[effort] }
    : { thinkingLevel: effort === 'none' ? ('minimal' as const) : effort };
  return { thinkingConfig: { includeThoughts: effort !== 'none', ...amount } } satisfies GoogleLanguageModelOptions;
}

/** True for the event that ends an answer of Gemini. */
export function isGeminiEnd(event: JsonObject): boolean {
  return hasFinish(event) || (isJsonObject(event.promptFeedback) && 'blockReason' in event.promptFeedback);
}

/** A long answer is continued with another request, so `CONTINUATION` does not end it. */
function hasFinish(event: JsonObject): boolean {
  const [candidate] = Array.isArray(event.candidates) ? event.candidates : [];
  return (
    isJsonObject(candidate) && typeof candidate.finishReason === 'string' && candidate.finishReason !== 'CONTINUATION'
  );
}
