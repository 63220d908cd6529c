import type {
  JSONObject,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import { type JsonObject, omitUndefined, parseJsonObject } from '../../protocol/json.ts';
import type { AnswerOrigin, Message, MessageToolCall, OfferedTool, Provider } from '../../protocol/model.ts';
import { toWellFormed } from './chat-wire.ts';

/** The model that a prompt is written for. */
export interface PromptTarget {
  readonly provider: Provider;
  readonly model: string;
  /** Options of a message up to which the provider caches the prompt; absent where it finds out by itself. */
  readonly cacheMark?: SharedV3ProviderOptions;
}

type Answer = Extract<Message, { role: 'assistant' }>;
type AnswerContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];
type ToolContent = Extract<LanguageModelV3Message, { role: 'tool' }>['content'];

/** Messages before the end that get a cache mark: the last one, and the one before it, which the last request ended with. */
const MARKED = 2;

/**
 * The prompt of a conversation in the form that the provider packages take. Reasoning goes back only to the model that it came from,
 * with its signature and in its place; other models get text and calls. Results of one step are one message.
 */
export function toPrompt(messages: readonly Message[], target: PromptTarget): LanguageModelV3Prompt {
  const ids = givenIds(messages, target);
  const names = new Map<string, string>();
  const prompt: LanguageModelV3Message[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) names.set(call.id, call.name);
    if (message.role === 'tool') {
      const result = toResult(message, ids, names.get(message.toolCallId) ?? 'unknown');
      const last = prompt.at(-1);
      if (last?.role === 'tool') last.content.push(...result);
      else prompt.push({ role: 'tool', content: result });
    } else prompt.push(toPromptMessage(message, ids, target));
  }
  return target.cacheMark === undefined ? prompt : markForCache(prompt, target.cacheMark);
}

/** The tools in the form that the provider packages take. */
export function toPromptTools(tools: readonly OfferedTool[]): LanguageModelV3FunctionTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description: description.trim() === '' ? name : description,
    // The package only reads it, and both types describe JSON.
    inputSchema: structuredClone(parameters) as LanguageModelV3FunctionTool['inputSchema'],
  }));
}

/** True if each step since the user's last message begins with reasoning of this model: only then may the next step think. */
export function mayThink(messages: readonly Message[], target: Pick<PromptTarget, 'provider' | 'model'>): boolean {
  const begin = messages.findLastIndex((message) => message.role === 'user');
  return messages.slice(begin + 1).every((message) => {
    if (message.role !== 'assistant' || (message.toolCalls ?? []).length === 0) return true;
    return originFor(message, target)?.parts[0]?.type === 'reasoning';
  });
}

function toPromptMessage(
  message: Exclude<Message, { role: 'tool' }>,
  ids: ReadonlyMap<string, string>,
  target: PromptTarget,
): LanguageModelV3Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: toWellFormed(message.content) };
    case 'user':
      return { role: 'user', content: toUserContent(message) };
    case 'assistant':
      return { role: 'assistant', content: toAnswerContent(message, ids, target) };
  }
}

function toUserContent({ content, images = [] }: Extract<Message, { role: 'user' }>) {
  const files = images.map(({ mediaType, data }) => ({ type: 'file' as const, mediaType, data }));
  return [...(content.trim() === '' ? [] : [{ type: 'text' as const, text: toWellFormed(content) }]), ...files];
}

function toResult(
  { toolCallId, content }: Extract<Message, { role: 'tool' }>,
  ids: ReadonlyMap<string, string>,
  toolName: string,
): ToolContent {
  const output = { type: 'text' as const, value: toWellFormed(content) };
  return [{ type: 'tool-result', toolCallId: ids.get(toolCallId) ?? toolCallId, toolName, output }];
}

function toAnswerContent(message: Answer, ids: ReadonlyMap<string, string>, target: PromptTarget): AnswerContent {
  const { content, toolCalls = [] } = message;
  const origin = originFor(message, target);
  if (origin === null) return [...toText(content), ...toolCalls.map((call) => toCall(call, ids))];
  return origin.parts.reduce(
    ({ parts, said, thought, called }, part) => {
      const options = part.data === undefined ? {} : { providerOptions: toOptions(target.provider, part.data) };
      if (part.type === 'call') {
        const call = toolCalls[called];
        return {
          parts: [...parts, ...(call ? [{ ...toCall(call, ids), ...options }] : [])],
          said,
          thought,
          called: called + 1,
        };
      }
      if (part.type === 'reasoning') {
        const text = (message.reasoning ?? '').slice(thought, thought + part.length);
        const reasoning = { type: 'reasoning' as const, text, ...options };
        return { parts: [...parts, reasoning], said, thought: thought + part.length, called };
      }
      const text = toText(content.slice(said, said + part.length)).map((one) => ({ ...one, ...options }));
      return { parts: [...parts, ...text], said: said + part.length, thought, called };
    },
    { parts: [] as AnswerContent, said: 0, thought: 0, called: 0 },
  ).parts;
}

/** Providers refuse a text of nothing but blanks. */
function toText(text: string) {
  return text.trim() === '' ? [] : [{ type: 'text' as const, text: toWellFormed(text) }];
}

/** Broken arguments become `{}`, which every provider takes. */
function toCall(call: MessageToolCall, ids: ReadonlyMap<string, string>) {
  const input = parseJsonObject(call.arguments) ?? {};
  return { type: 'tool-call' as const, toolCallId: ids.get(call.id) ?? call.id, toolName: call.name, input };
}

function toOptions(provider: Provider, data: JsonObject): SharedV3ProviderOptions {
  // The data came from this package, and is JSON in both types.
  return { [provider]: structuredClone(data) as JSONObject };
}

/** The parts of an answer of this very model, if they still cover its whole text; null otherwise. */
function originFor(message: Answer, target: Pick<PromptTarget, 'provider' | 'model'>): AnswerOrigin | null {
  const { origin, content, reasoning = '', toolCalls = [] } = message;
  if (origin === undefined || origin.provider !== target.provider || origin.model !== target.model) return null;
  const sizes = { text: 0, reasoning: 0, call: 0 };
  for (const part of origin.parts) sizes[part.type] += part.type === 'call' ? 1 : part.length;
  const isWhole = sizes.text === content.length && sizes.reasoning === reasoning.length;
  return isWhole && sizes.call === toolCalls.length ? origin : null;
}

/** The provider's own ids by ours, where no id stands twice in the conversation. */
function givenIds(messages: readonly Message[], target: PromptTarget): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  const seen = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    const parts = originFor(message, target)?.parts.filter((part) => part.type === 'call') ?? [];
    (message.toolCalls ?? []).forEach((call, at) => {
      const id = parts[at]?.id ?? call.id;
      if (!seen.has(id)) given.set(call.id, id);
      seen.add(id);
    });
  }
  return given;
}

/** Marks the system message, which ends what stays the same, and the last messages that are no answers. */
function markForCache(prompt: readonly LanguageModelV3Message[], mark: SharedV3ProviderOptions): LanguageModelV3Prompt {
  const asked = prompt.flatMap(({ role }, at) => (role === 'user' || role === 'tool' ? [at] : []));
  const marked = new Set(asked.slice(-MARKED));
  return prompt.map((message, at) =>
    message.role === 'system' || marked.has(at) ? { ...message, ...omitUndefined({ providerOptions: mark }) } : message,
  );
}
