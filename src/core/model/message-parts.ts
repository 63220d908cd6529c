import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { FinishReason } from '../../protocol/model.ts';
import { asArray } from './chunk-shapes.ts';

/** Servers have many words for the end of an answer; all others stand for a complete one. */
export const FINISHES: readonly (readonly [FinishReason | 'failed', RegExp])[] = [
  ['failed', /malformed/],
  ['content_filter', /filter|safety|sensitive|prohibited|block|recitation|spii|guardrail/],
  ['failed', /error|abort|cancel|fail|timeout|timed_out|insufficient|overload|repetition/],
  ['length', /length|max|limit|exceeded|overflow/],
  ['tool_calls', /^(tool|function)_/],
];

/** Content is text, or a list of `text` and `thinking` parts. */
export function readContent(content: Json | undefined): { text: string; reasoning: string } {
  if (typeof content === 'string') return { text: content, reasoning: '' };
  let text = '';
  let reasoning = '';
  for (const part of isJsonObject(content) ? [content] : asArray(content)) {
    if (typeof part === 'string') text += part;
    if (!isJsonObject(part)) continue;
    if (part.type === 'thinking' || part.type === 'reasoning') reasoning += joinTexts(part.thinking ?? part.text);
    else text += joinTexts(part.text);
  }
  return { text, reasoning };
}

function joinTexts(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return asArray(value)
    .map((part) => (isJsonObject(part) ? firstText(part.text) : firstText(part)))
    .join('');
}

/** Arguments as text. An empty object says no more than an empty text, which further pieces may follow. */
export function readArguments(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value) || Object.keys(value).length === 0) return '';
  return JSON.stringify(value);
}

/** The first text that is not empty; empty without any. */
export function firstText(...values: (Json | undefined)[]): string {
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? '';
}
