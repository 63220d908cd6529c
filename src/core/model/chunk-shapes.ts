import { isJsonObject, type Json, type JsonObject, omitUndefined, parseJson } from '../../protocol/json.ts';
import type { FinishReason } from '../../protocol/model.ts';

/**
 * The chunks of chat completions that a server's JSON stands for. Gateways wrap them, and servers answer in the form of another API at the
 * same address: Ollama, llama.cpp, TGI, Messages, Responses, Gemini. Null for JSON that holds no answer in any of these forms.
 */
export function toChunks(value: unknown, depth = 0): readonly JsonObject[] | null {
  if (depth > MOST_WRAPS) return null;
  if (typeof value === 'string') return /^\s*[[{]/.test(value) ? toChunks(parseJson(value), depth + 1) : null;
  if (Array.isArray(value)) {
    const chunks = value.map((one) => toChunks(one, depth + 1));
    return chunks.some((one) => one !== null) ? chunks.flatMap((one) => one ?? []) : null;
  }
  if (!isJsonObject(value)) return null;
  const choices = toChoices(value.choices);
  if (choices !== null) return [choices === value.choices ? value : { ...value, choices }];
  const own = FORMS.reduce<JsonObject | null>((found, read) => found ?? read(value), null);
  return own === null ? unwrap(value, depth) : [{ ...own, ...omitUndefined({ usage: value.usage }) }];
}

/** Numbers that JSON does not have, where Python writes them. */
const NO_NUMBER = /(?<=[:,[]\s*)(?:NaN|-?Infinity)(?=\s*[,\]}])/g;

/** The chunks in a line that is no JSON: several in a row, written-out line breaks behind, or NaN as Python writes it; null for others. */
export function mendChunks(data: string): readonly unknown[] | null {
  const text = data.replace(/(?:\\[rn])+$/, '').replace(NO_NUMBER, 'null');
  const chunks = text.split(/(?<=\})\s*(?:data:\s*)?(?=\{")/).map((one) => parseJson(one));
  return chunks.includes(undefined) ? null : chunks;
}

/** The names of the fields of an object, for a message about it. */
export function namesIn(value: unknown): string {
  const names = isJsonObject(value) ? Object.keys(value) : [];
  return names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(', ')}, …` : names.join(', ');
}

const MOST_WRAPS = 3;
const MOST_NAMES = 8;

/** The fields in which gateways put a whole chunk. */
const WRAPPERS = [
  ...['data', 'response', 'result', 'results', 'output', 'outputs', 'predictions', 'body', 'chunk', 'completion', 'payload', 'value'],
  ...['json', 'message'],
];

function unwrap(value: JsonObject, depth: number): readonly JsonObject[] | null {
  for (const name of WRAPPERS) {
    const inner = value[name] === undefined ? null : toChunks(value[name], depth + 1);
    if (inner !== null) return isJsonObject(value.usage) ? [...inner, { choices: [], usage: value.usage }] : inner;
  }
  return null;
}

/** A list of choices; one choice, or choices by their number, instead of a list; null without any. */
function toChoices(choices: Json | undefined): readonly Json[] | null {
  if (Array.isArray(choices)) return choices.some((one) => typeof one === 'string') ? choices.map(toTextChoice) : choices;
  if (!isJsonObject(choices)) return null;
  if (Array.isArray(choices.text)) return [{ ...choices, text: textOf(choices.text) }];
  return [choices.delta, choices.message, choices.text].some((one) => one !== undefined) ? [choices] : Object.values(choices);
}

function toTextChoice(choice: Json): Json {
  return typeof choice === 'string' ? { index: 0, text: choice } : choice;
}

type Form = (value: JsonObject) => JsonObject | null;

/** Forms of other APIs, the most telling first. */
const FORMS: readonly Form[] = [
  readResponsesEvent,
  readMessagesEvent,
  readWholeMessage,
  readResponses,
  readGemini,
  readOllama,
  readGenerated,
  readBareDelta,
  readBareText,
];

function chunk(delta: JsonObject, finish = ''): JsonObject {
  return { choices: [{ index: 0, delta, finish_reason: finish === '' ? null : finish }] };
}

/** An event of OpenAI's Responses. The last event repeats the whole answer, so only its end counts. */
function readResponsesEvent({ type, delta, item, response }: JsonObject): JsonObject | null {
  if (typeof type !== 'string' || !type.startsWith('response.')) return null;
  if (/^response\.(output_text|refusal)\.delta$/.test(type)) return chunk({ content: textOf(delta) });
  if (/^response\.reasoning.*\.delta$/.test(type)) return chunk({ reasoning_content: textOf(delta) });
  if (type === 'response.output_item.done') return chunk({ tool_calls: callsIn([item ?? null]) });
  if (!isJsonObject(response) || !/\.(completed|incomplete)$/.test(type)) return chunk({});
  return { ...chunk({}, type.endsWith('incomplete') ? 'length' : 'stop'), usage: response.usage ?? null };
}

/** An event of Anthropic's Messages. */
function readMessagesEvent({ type, delta, index, content_block: block }: JsonObject): JsonObject | null {
  if (type === 'content_block_delta' && isJsonObject(delta)) {
    const call = { index: index ?? 0, function: { arguments: delta.partial_json ?? '' } };
    if (delta.partial_json !== undefined) return chunk({ tool_calls: [call] });
    return chunk({ content: textOf(delta.text), reasoning_content: textOf(delta.thinking) });
  }
  if (type === 'content_block_start' && isJsonObject(block)) {
    const calls = callsIn([{ ...block, input: '' }]).map((call) => ({ ...call, index: index ?? 0 }));
    return chunk({ content: textOf(block.text), tool_calls: calls });
  }
  if (type === 'message_delta' && isJsonObject(delta)) return chunk({}, textOf(delta.stop_reason));
  return type === 'message_start' || type === 'message_stop' || type === 'content_block_stop' ? chunk({}) : null;
}

/** A whole answer of Messages, or a message with nothing around it. */
function readWholeMessage({ role, content, tool_calls: calls, ...rest }: JsonObject): JsonObject | null {
  if (role !== 'assistant' || (content === undefined && calls === undefined)) return null;
  return chunk({ ...rest, content: content ?? '', tool_calls: calls ?? [] }, endOf(rest));
}

/** A whole answer of Responses. */
function readResponses({ output, status }: JsonObject): JsonObject | null {
  const items = asArray(output).filter(isJsonObject);
  if (!items.some(({ type }) => type === 'message' || type === 'function_call')) return null;
  const text = items.map((item) => (item.type === 'message' ? textOf(item.content) : '')).join('');
  return chunk({ content: text, tool_calls: callsIn(output) }, status === 'incomplete' ? 'length' : 'stop');
}

function readGemini({ candidates, usageMetadata: usage }: JsonObject): JsonObject | null {
  const [one] = asArray(candidates);
  if (!isJsonObject(one)) return null;
  const parts = asArray(isJsonObject(one.content) ? one.content.parts : undefined).filter(isJsonObject);
  const written = (isThought: boolean): string =>
    parts.map(({ thought, text }) => ((thought === true) === isThought ? textOf(text) : '')).join('');
  const delta = { content: written(false), reasoning_content: written(true), tool_calls: callsIn(parts) };
  if (!isJsonObject(usage)) return chunk(delta, endOf(one));
  return {
    ...chunk(delta, endOf(one)),
    usage: { input_tokens: usage.promptTokenCount ?? 0, output_tokens: usage.candidatesTokenCount ?? 0 },
  };
}

/** `/api/chat` and `/api/generate` of Ollama, and a message without a choice around it. */
function readOllama({ message, response, thinking, ...rest }: JsonObject): JsonObject | null {
  const delta = isJsonObject(message) && typeof message.role === 'string' ? message : null;
  if (delta === null && typeof response !== 'string' && !Array.isArray(rest.tool_calls)) return null;
  const body = delta ?? { content: response ?? '', thinking: thinking ?? '', tool_calls: rest.tool_calls ?? [] };
  const read = chunk(body, endOf(rest));
  if (typeof rest.eval_count !== 'number') return read;
  return { ...read, usage: { input_tokens: rest.prompt_eval_count ?? 0, output_tokens: rest.eval_count } };
}

/** `/generate_stream` of TGI, whose last event repeats the whole text, and servers that write `token` or `generated_text` only. */
function readGenerated({ token, generated_text: text, details, ...rest }: JsonObject): JsonObject | null {
  const end = (isJsonObject(details) ? endOf(details) : endOf(rest)) || (isJsonObject(token) && typeof text === 'string' ? 'stop' : '');
  if (isJsonObject(token)) return chunk({ content: token.special === true ? '' : textOf(token.text) }, end);
  const said = typeof token === 'string' ? token : text;
  return typeof said === 'string' ? chunk({ content: said }, end) : null;
}

/** A delta without a choice around it; Cohere puts a message into it. */
function readBareDelta({ delta, ...rest }: JsonObject): JsonObject | null {
  if (typeof delta === 'string') return chunk({ content: delta }, endOf(rest));
  if (!isJsonObject(delta)) return null;
  return chunk(isJsonObject(delta.message) ? delta.message : delta, endOf(rest) || endOf(delta));
}

const TEXTS = [
  'content',
  'text',
  'output_text',
  'text_output',
  'output',
  'answer',
  'completion',
  'result',
  'data',
  'predictions',
  'outputs',
];

/** `/completion` of llama.cpp, and servers that write a text and nothing else. Text beside signs of an error is no answer. */
function readBareText(value: JsonObject): JsonObject | null {
  const codes = [value.status, value.code, value.statusCode].some((code) => Number(code) >= 400 || code === 'error');
  if (codes || value.success === false || (value.error ?? null) !== null || value.detail !== undefined) return null;
  const name = TEXTS.find((one) => isText(value[one]));
  return name === undefined ? null : chunk({ content: textOf(value[name]) }, endOf(value));
}

function isText(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => typeof one === 'string');
  return typeof value === 'string' && !/^\s*[[{]/.test(value);
}

const ENDS = ['finish_reason', 'stop_reason', 'done_reason', 'finishReason', 'stopReason', 'stop_type'];
const END_MARKS = ['stop', 'done', 'is_finished', 'finished', 'is_end'];

/** The word for the end of an answer; empty if it has not ended. */
function endOf(value: JsonObject): string {
  const marks = END_MARKS.map((name) => value[name]);
  if (marks.includes(false)) return '';
  const name = ENDS.find((one) => typeof value[one] === 'string');
  return textOf(value[name ?? '']) || (marks.includes(true) ? 'stop' : '');
}

/** The calls in a list: of Messages, Responses, Gemini and Converse. */
export function callsIn(content: Json | undefined): readonly JsonObject[] {
  return asArray(content).flatMap((part) => {
    if (!isJsonObject(part)) return [];
    const { functionCall, toolUse, type } = part;
    const inner = [functionCall, toolUse].find(isJsonObject) ?? (type === 'tool_use' || type === 'function_call' ? part : null);
    if (inner === null) return [];
    const { call_id: callId, toolUseId, id, name, input, args, arguments: text } = inner;
    return [{ id: callId ?? toolUseId ?? id ?? '', function: { name: name ?? '', arguments: text ?? input ?? args ?? '' } }];
  });
}

/** A text, or the texts of a list of parts. */
function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return asArray(value)
    .map((part) => (typeof part === 'string' ? part : isJsonObject(part) ? textOf(part.text ?? part.content) : ''))
    .join('');
}

/** A list as it is, and everything else as an empty list. */
export function asArray(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

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
