import type { AnthropicLanguageModelOptions } from '@ai-sdk/anthropic';
import type { GoogleLanguageModelOptions } from '@ai-sdk/google';
import type { OpenAILanguageModelResponsesOptions } from '@ai-sdk/openai';
import type { LanguageModelV3, LanguageModelV3StreamPart, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { ANSWER_LIMIT } from '../../core/model/completion-assembler.ts';
import type { AnswerFault } from '../../core/model/server-fault.ts';
import { AishError } from '../../protocol/error.ts';
import { isJsonObject, type JsonObject, omitUndefined } from '../../protocol/json.ts';
import type { ModelRequest, ReasoningEffort } from '../../protocol/model.ts';
import type { Environment } from '../config/paths.ts';
import type { Wire, WireConnection } from './connection.ts';
import { RESPONSE_BARREN } from './messages.ts';
import { providerDamaged } from './messages-providers.ts';
import type { ModelEndpoint } from './models.ts';
import { ProviderAnswer, type StreamForm, toStreamFault } from './provider-answer.ts';
import { importProvider, packagesFolder, SPECIFICATION } from './provider-packages.ts';
import { mayThink, type PromptTarget, toPrompt, toPromptTools } from './provider-prompt.ts';
import { Pace, readFault } from './response.ts';

/** The fetch that aish gives to a provider package. */
type ProviderFetch = typeof fetch;

/** One provider package. */
interface ProviderForm extends StreamForm {
  /** The package's model over aish's own fetch. It never sees the key. */
  readonly open: (modelId: string, baseURL: string, fetch: ProviderFetch) => Promise<LanguageModelV3>;
  readonly options: (endpoint: ModelEndpoint, request: ModelRequest) => SharedV3ProviderOptions;
  readonly cacheMark?: SharedV3ProviderOptions;
  readonly maxOutputTokens?: number;
}

/** Most bytes in a row that add nothing to an answer. */
const BARREN_LIMIT = 2 * ANSWER_LIMIT;

/** The wire of a provider package: aish projects the conversation, sends the bytes and reads errors; the package knows the form. */
function createProviderWire(form: ProviderForm): Wire {
  return {
    async answer(request, connection) {
      const { endpoint } = connection;
      const model = endpoint.model ?? '';
      const answer = new ProviderAnswer(form, model);
      const traffic = new Traffic(connection);
      try {
        const opened = await form.open(model, endpoint.baseUrl, traffic.fetch);
        const { stream } = await opened.doStream({
          prompt: toPrompt(request.messages, targetOf(form, model)),
          ...(request.tools.length === 0 ? {} : { tools: toPromptTools(request.tools) }),
          providerOptions: form.options(endpoint, request),
          includeRawChunks: true,
          ...omitUndefined({ maxOutputTokens: form.maxOutputTokens }),
        });
        await readParts(stream, answer, traffic, connection);
      } catch (thrown) {
        if (traffic.error !== null) throw traffic.error;
        answer.fail(traffic.fault ?? toStreamFault(thrown));
      }
      if (traffic.error !== null) throw traffic.error;
      return traffic.fault === null ? answer.end() : { ...answer.end(), finish: null, fault: traffic.fault };
    },
  };
}

function targetOf({ provider, cacheMark }: ProviderForm, model: string): PromptTarget {
  return { provider, model, ...omitUndefined({ cacheMark }) };
}

async function readParts(
  stream: ReadableStream<LanguageModelV3StreamPart>,
  answer: ProviderAnswer,
  traffic: Traffic,
  { onDelta, onGrowth }: WireConnection,
): Promise<void> {
  const pace = new Pace(onDelta);
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const before = answer.size;
      await pace.hand(answer.accept(next.value));
      if (answer.size > before) {
        traffic.grew();
        onGrowth();
      }
      if (answer.hasFailed) return;
    }
  } finally {
    // The connection ends the response; how the package takes that does not matter.
    reader.cancel().catch(() => {});
  }
}

/** The headers of a package that belong to its wire. The connection adds the key, and every other header. */
function ownHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('anthropic-')));
}

/** The requests of one answer: its fetch, and the failures that a package must not put into words of its own. */
class Traffic {
  /** The connection failed. */
  error: unknown = null;
  /** The server refused the request, or sent no stream. */
  fault: AnswerFault | null = null;
  readonly #connection: WireConnection;
  #barren = 0;

  constructor(connection: WireConnection) {
    this.#connection = connection;
  }

  grew(): void {
    this.#barren = 0;
  }

  readonly fetch: ProviderFetch = Object.assign(
    async (url: Parameters<ProviderFetch>[0], init?: Parameters<ProviderFetch>[1]): Promise<Response> => {
      const body = typeof init?.body === 'string' ? init.body : '';
      try {
        const {
          status,
          headers,
          body: bytes,
        } = await this.#connection.open({
          url: String(url),
          body,
          headers: ownHeaders(new Headers(init?.headers)),
        });
        const isStream = status === 200 && !/json|html/.test(headers.get('content-type') ?? '');
        if (isStream)
          return new Response(this.#toStream(bytes), { status, headers: { 'content-type': 'text/event-stream' } });
        this.fault = await readFault({ status, headers, body: bytes });
      } catch (thrown) {
        this.error = thrown;
        throw thrown;
      }
      throw new AishError('model.refused', this.fault.message);
    },
    { preconnect: () => {} },
  );

  #toStream(bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
    const reading = bytes[Symbol.asyncIterator]();
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const next = await reading.next();
            if (next.done === true) return controller.close();
            this.#barren += next.value.length;
            if (this.#barren > BARREN_LIMIT) throw this.#tooLarge();
            controller.enqueue(next.value);
          } catch (thrown) {
            if (this.fault === null) this.error = thrown;
            controller.error(thrown);
          }
        },
      },
      { highWaterMark: 0 },
    );
  }

  #tooLarge(): AishError {
    this.fault = { kind: 'too_large', message: RESPONSE_BARREN };
    return new AishError('model.too-large', RESPONSE_BARREN);
  }
}

/* The forms of the known provider packages: what such a package does not tell itself. */

/** The packages that are compiled in: each loads with the first request to its provider. */
const lazy = {
  anthropic: (): Promise<typeof import('@ai-sdk/anthropic')> => import('@ai-sdk/anthropic'),
  openai: (): Promise<typeof import('@ai-sdk/openai')> => import('@ai-sdk/openai'),
  google: (): Promise<typeof import('@ai-sdk/google')> => import('@ai-sdk/google'),
};

/** Tokens that a model may think with, by effort. Models that decide by themselves ignore the number. */
const BUDGETS = { low: 2048, medium: 8192, high: 24_576 } as const;

/** Enough for a long file of Claude; the package lowers it for models that write less. */
const MOST_TOKENS = 32_000;

/** Events of the Messages API. Anthropic may add others, which a client leaves out. */
const MESSAGES_EVENTS: ReadonlySet<unknown> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
]);

/** Anthropic's Messages API. */
const ANTHROPIC = createProviderWire({
  provider: 'anthropic',
  open: async (modelId, baseURL, fetch) =>
    (await lazy.anthropic()).createAnthropic({ baseURL, apiKey: 'none', fetch })(modelId),
  options: (endpoint, request) => ({ anthropic: { ...toAnthropicOptions(endpoint, request) } }),
  cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  maxOutputTokens: MOST_TOKENS,
  isEnd: (event) => event.type === 'message_stop',
  isUnknown: (event) => !MESSAGES_EVENTS.has(event.type),
});

function toAnthropicOptions({ model, reasoningEffort }: ModelEndpoint, { messages }: ModelRequest) {
  const options = { toolStreaming: false } satisfies AnthropicLanguageModelOptions;
  if (reasoningEffort === undefined) return options;
  if (reasoningEffort === 'none') return { ...options, thinking: { type: 'disabled' as const } };
  // A step that continues another model's calls may not think: Anthropic wants its own signed reasoning before them.
  if (!mayThink(messages, { provider: 'anthropic', model: model ?? '' })) return options;
  return { ...options, thinking: { type: 'enabled' as const, budgetTokens: BUDGETS[reasoningEffort] } };
}

const RESPONSES_ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Events that carry parts of an answer, besides those that end it. */
const RESPONSES_EVENTS =
  /^(error|response\.(created|in_progress|output_item|output_text|content_part|function_call|reasoning|refusal))/;

/**
 * The Responses API; at Azure only the header of the key differs. The server stores nothing: encrypted reasoning travels with the
 * conversation.
 */
function responsesAt(provider: 'openai' | 'azure'): Wire {
  return createProviderWire({
    provider,
    open: async (modelId, baseURL, fetch) =>
      (await lazy.openai()).createOpenAI({ name: provider, baseURL, apiKey: 'none', fetch }).responses(modelId),
    options: ({ reasoningEffort }) => {
      const options = { store: false } satisfies OpenAILanguageModelResponsesOptions;
      return { [provider]: reasoningEffort === undefined ? options : { ...options, reasoningEffort } };
    },
    isEnd: ({ type }) => RESPONSES_ENDS.has(type),
    isUnknown: ({ type }) => typeof type === 'string' && !RESPONSES_ENDS.has(type) && !RESPONSES_EVENTS.test(type),
  });
}

/** Google's Gemini API. */
const GEMINI = createProviderWire({
  provider: 'google',
  open: async (modelId, baseURL, fetch) =>
    (await lazy.google()).createGoogleGenerativeAI({ baseURL, apiKey: 'none', fetch })(modelId),
  options: ({ model, reasoningEffort }) => ({ google: toGeminiOptions(model ?? '', reasoningEffort) }),
  isEnd: isGeminiEnd,
  isUnknown: () => false,
});

const COMPILED_IN: ReadonlyMap<string, Wire> = new Map([
  ['anthropic', ANTHROPIC],
  ['openai', responsesAt('openai')],
  ['azure', responsesAt('azure')],
  ['google', GEMINI],
]);

/** The wire of a provider: of a package that is compiled in, or of one that the user has added. */
export async function openProviderWire(name: string, env: Environment): Promise<Wire> {
  return COMPILED_IN.get(name) ?? openAddedWire(name, env);
}

/** The options for how much Gemini thinks. */
function toGeminiOptions(model: string, effort: ReasoningEffort | undefined) {
  if (effort === undefined) return {};
  const takesBudget = /gemini-2\.5/.test(model);
  const amount = takesBudget
    ? { thinkingBudget: { none: 0, ...BUDGETS }[effort] }
    : { thinkingLevel: effort === 'none' ? ('minimal' as const) : effort };
  return { thinkingConfig: { includeThoughts: effort !== 'none', ...amount } } satisfies GoogleLanguageModelOptions;
}

/** True for the event that ends an answer of Gemini. A long answer is continued with another request, so `CONTINUATION` does not end it. */
function isGeminiEnd({ candidates, promptFeedback }: JsonObject): boolean {
  const [candidate] = Array.isArray(candidates) ? candidates : [];
  const reason = isJsonObject(candidate) ? candidate.finishReason : undefined;
  if (typeof reason === 'string' && reason !== 'CONTINUATION') return true;
  return isJsonObject(promptFeedback) && 'blockReason' in promptFeedback;
}

/** The facts about a package that the user adds. */
interface AddedForm extends Pick<ProviderForm, 'isEnd' | 'isUnknown'> {
  readonly options: (effort: ReasoningEffort | undefined, model: string) => SharedV3ProviderOptions[string];
}

/** The packages that the user may add, by provider. */
const ADDED_FORMS: Readonly<Record<string, AddedForm>> = {
  bedrock: {
    isEnd: (event) => event.messageStop !== undefined,
    isUnknown: () => false,
    options: (effort) => toThinking(effort, 'reasoningConfig', 'budgetTokens'),
  },
  cohere: {
    isEnd: (event) => event.type === 'message-end',
    isUnknown: () => false,
    options: (effort) => toThinking(effort, 'thinking', 'tokenBudget'),
  },
  vertex: { isEnd: isGeminiEnd, isUnknown: () => false, options: (effort, model) => toGeminiOptions(model, effort) },
};

function toThinking(effort: ReasoningEffort | undefined, name: string, tokens: string) {
  if (effort === undefined) return {};
  return { [name]: effort === 'none' ? { type: 'disabled' } : { type: 'enabled', [tokens]: BUDGETS[effort] } };
}

/** Opens a package that the user has added. Its code is checked against its pin each time. */
async function openAddedWire(name: string, env: Environment): Promise<Wire> {
  const create = findFactory(await importProvider(packagesFolder(env), name));
  if (create === null) throw providerDamaged(name, SPECIFICATION);
  const known = ADDED_FORMS[name];
  return createProviderWire({
    provider: name,
    isUnknown: () => false,
    ...known,
    open: async (modelId, baseURL, fetch) => openModel(name, create, { modelId, baseURL, fetch }),
    options: ({ model, reasoningEffort }) => ({ [name]: known?.options(reasoningEffort, model ?? '') ?? {} }),
  });
}

type Factory = (settings: object) => unknown;

/** `createCohere`, `createAmazonBedrock` and the like: the shortest name, since longer ones make something special. */
function findFactory(module: Readonly<Record<string, unknown>>): Factory | null {
  const names = Object.keys(module).filter((name) => /^create[A-Z]/.test(name));
  const [name = ''] = names.sort((one, other) => one.length - other.length);
  const found = module[name];
  return isFunction(found) ? found : null;
}

/** The model of a package over aish's own fetch. The connection puts the key in the place of `none`. */
function openModel(
  name: string,
  create: Factory,
  { modelId, ...place }: { readonly modelId: string; readonly baseURL: string; readonly fetch: ProviderFetch },
): LanguageModelV3 {
  const provider: unknown = create({ ...place, apiKey: 'none' });
  const make = isFunction(provider) ? provider : methodOf(provider, 'languageModel');
  const model = make?.(modelId);
  if (!isLanguageModel(model)) throw providerDamaged(name, SPECIFICATION);
  return model;
}

function methodOf(value: unknown, name: string): ((argument: unknown) => unknown) | null {
  if (typeof value !== 'object' || value === null) return null;
  const method: unknown = Reflect.get(value, name);
  return isFunction(method) ? method.bind(value) : null;
}

function isFunction(value: unknown): value is (argument: unknown) => unknown {
  return typeof value === 'function';
}

function isLanguageModel(value: unknown): value is LanguageModelV3 {
  if (typeof value !== 'object' || value === null) return false;
  return Reflect.get(value, 'specificationVersion') === SPECIFICATION && isFunction(Reflect.get(value, 'doStream'));
}
