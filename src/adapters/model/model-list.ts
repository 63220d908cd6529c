import { toShownUrl } from '../../core/model/server-fault.ts';
import { AishError } from '../../protocol/error.ts';
import { isJsonObject, type Json, type JsonObject, omitUndefined, parseJson } from '../../protocol/json.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import { isOfAnotherPerson } from '../system/port-users.ts';
import { toWireBody } from './chat-wire.ts';
import { listTimedOut, noModelFound, noModelList, noModelLoaded, notAModelList } from './messages-providers.ts';
import { toModelError, toNetworkError } from './model-error.ts';
import { isLoopback, isNear, type ModelEndpoint, openRequest, toEndpoint, toResourceUrl } from './models.ts';
import { endpointOf, MODEL_PRESETS, type ModelPreset, movedTo } from './presets.ts';
import { readErrorFault } from './response.ts';

interface ListedModel {
  readonly id: string;
  /** Tokens of context, if the server reports them. */
  readonly context?: number;
  /** The mark of llama.cpp in its list. */
  readonly isLlama?: boolean;
  /** It is not loaded, or of another kind. */
  readonly isOther?: boolean;
}

/** Longest wait for the list that names the model. */
const LONGEST_LIST_MS = 10_000;

/** Most bytes of a list that are read. */
const LIST_LIMIT = 8 * 1024 * 1024;

/** The models that a server lists. */
export async function listModels(
  endpoint: ModelEndpoint,
  signal: AbortSignal,
  limitMs: number,
): Promise<ListedModel[]> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const response = await openRequest(endpoint, toResourceUrl(endpoint.baseUrl, 'models'), {}, bounded);
    const text = await readBounded(response);
    if ([404, 405, 501].includes(response.status))
      throw noModelList(endpoint.name, toShownUrl(endpoint.baseUrl), response.status);
    if (!response.ok)
      throw await toModelError({ fault: readErrorFault(response, text), hasBegun: false }, endpoint, async () => []);
    return parseList(text, endpoint);
  } catch (thrown) {
    if (thrown instanceof AishError) throw thrown;
    if (bounded.aborted && !signal.aborted) throw listTimedOut(endpoint.name, toShownUrl(endpoint.baseUrl), limitMs);
    throw toNetworkError(thrown, endpoint, signal.aborted ? 'aborted' : null);
  }
}

/** The endpoint with a model: the configured one, the one named like the section, or the first that can chat. */
export async function nameModel(endpoint: ModelEndpoint, signal: AbortSignal): Promise<ModelEndpoint> {
  if (endpoint.model !== null) return endpoint;
  const chosen = pickModel(
    await listModels(endpoint, signal, Math.min(LONGEST_LIST_MS, endpoint.timeouts.firstByteMs)),
    endpoint.name,
  );
  if (chosen === null) throw noModelLoaded(endpoint.name);
  return { ...omitUndefined({ context: chosen.context }), ...markOf(chosen), ...endpoint, model: chosen.id };
}

/** The mark of llama.cpp, for an endpoint. */
function markOf({ isLlama }: ListedModel): Pick<ModelEndpoint, 'isLlama'> {
  return isLlama === true ? { isLlama } : {};
}

/** The model with this name, else the first that can chat now: its name is not that of an embedding or speech model. */
function pickModel(models: readonly ListedModel[], name: string): ListedModel | null {
  return models.find((model) => model.id === name) ?? models.find(canChat) ?? models[0] ?? null;
}

function canChat({ id, isOther }: ListedModel): boolean {
  return isOther !== true && !/embed|rerank|whisper|tts|dall-e|moderation|bge-/i.test(id);
}

function parseList(text: string, endpoint: ModelEndpoint): ListedModel[] {
  const parsed = parseJson(text);
  const entries = findList(parsed);
  if (entries === null) throw notAModelList(endpoint.name);
  return entries.flatMap((entry: Json) => toListed(entry));
}

/** The list itself, or the one that an object holds; gateways put it one object deeper. */
function findList(value: unknown, depth = 0): readonly Json[] | null {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value) || depth > 1) return null;
  const lists = ['data', 'models', 'result'].map((name) => findList(value[name], depth + 1));
  return lists.find((list) => list !== null) ?? (depth === 0 && 'data' in value ? [] : null);
}

function toListed(entry: Json): readonly ListedModel[] {
  if (typeof entry === 'string') return entry === '' ? [] : [{ id: entry }];
  if (!isJsonObject(entry)) return [];
  // Google lists names, such as `models/gemini-flash-latest`.
  const name = typeof entry.name === 'string' ? entry.name.replace(/^models\//, '') : undefined;
  // Cloudflare lists an id that its chat completions do not take, and the name that they take.
  const id = name?.startsWith('@') ? name : (entry.id ?? name ?? entry.model ?? entry.model_name);
  if (typeof id !== 'string' || id === '') return [];
  const meta = isJsonObject(entry.meta) ? entry.meta : {};
  const { max_model_len, context_length, inputTokenLimit, max_input_tokens } = entry;
  const sizes = [meta.n_ctx, max_model_len, context_length, inputTokenLimit, max_input_tokens];
  const context = sizes.find((size) => typeof size === 'number');
  const isOther =
    entry.state === 'not-loaded' || (typeof entry.type === 'string' && entry.type.startsWith('embedding'));
  const marks = { ...(entry.owned_by === 'llamacpp' ? { isLlama: true } : {}), ...(isOther ? { isOther } : {}) };
  return [{ id, ...omitUndefined({ context }), ...marks }];
}

async function readBounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  const body = response.body?.getReader();
  for (let next = await body?.read(); next?.done === false; next = await body?.read()) {
    text += decoder.decode(next.value, { stream: true });
    if (text.length <= LIST_LIMIT) continue;
    await body?.cancel();
    break;
  }
  return text + decoder.decode();
}

/** A model that can be used now. */
interface FoundModel {
  readonly endpoint: ModelEndpoint;
  /** Names of further models of its server that can chat. */
  readonly others?: readonly string[];
  /** One line for users: what it is and how it was found. */
  readonly source: string;
}

/** Longest wait for a server on this machine to respond. */
const PROBE_MS = 300;

/** The places to look in: all of them, or only those on this machine. */
export function candidatesOf(where: 'anywhere' | 'loopback' = 'anywhere'): readonly ModelPreset[] {
  if (where === 'anywhere') return MODEL_PRESETS.filter(({ isNamedOnly }) => isNamedOnly !== true);
  return MODEL_PRESETS.filter(({ keyEnv, baseUrl }) => keyEnv === undefined && isLoopback(baseUrl));
}

/** All models that can be used, in the order of the candidates. A key costs no request; servers are queried in parallel. */
export async function discoverModels(
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
  candidates: readonly ModelPreset[] = MODEL_PRESETS,
): Promise<FoundModel[]> {
  const found = await Promise.all(
    candidates.map((candidate) =>
      candidate.keyEnv === undefined ? probe(candidate, signal) : findByKey(candidate, env),
    ),
  );
  return found.filter((model) => model !== null);
}

/** The best model that can be used; throws with how to set one up. If there is a key, no server is queried. */
export async function findModel(
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal = new AbortController().signal,
  candidates: readonly ModelPreset[] = MODEL_PRESETS,
): Promise<ModelEndpoint> {
  const withKey = candidates.filter((candidate) => candidate.keyEnv !== undefined);
  const without = candidates.filter((candidate) => candidate.keyEnv === undefined);
  const [byKey] = await discoverModels(env, signal, withKey);
  const best = byKey ?? (await discoverModels(env, signal, without))[0];
  if (best !== undefined) return best.endpoint;
  const foreign = without.find(({ baseUrl }) => isOfAnotherPerson(baseUrl));
  throw noModelFound(withKey.length === 0, foreign?.baseUrl);
}

function findByKey(preset: ModelPreset, env: Readonly<Record<string, string | undefined>>): FoundModel | null {
  const endpoint = endpointOf(preset, preset.name, env);
  if (endpoint === null) return null;
  const isMoved = movedTo(preset, env) !== null;
  const what = isMoved ? toShownUrl(endpoint.baseUrl) : `${preset.title} (${preset.model ?? 'its first model'})`;
  return { endpoint, source: `${what}, by ${preset.keyEnv ?? ''}` };
}

/**
 * A server that is loading its model counts; aish queries the model's name later. A server of another person does not count: everybody on
 * a machine may listen at a port, and would get the whole conversation.
 */
async function probe(candidate: ModelPreset, signal: AbortSignal): Promise<FoundModel | null> {
  const endpoint = toEndpoint(candidate.name, { base_url: candidate.baseUrl }, null);
  const source = `${candidate.title} at ${toShownUrl(endpoint.baseUrl)}`;
  try {
    const models = await listModels(endpoint, signal, PROBE_MS);
    const model = pickModel(models, candidate.name);
    if (model === null || isOfAnotherPerson(candidate.baseUrl)) return null;
    const context = model.context === undefined ? {} : { context: model.context };
    return {
      endpoint: { ...endpoint, ...context, ...markOf(model), model: model.id },
      source: `${source} (${model.id})`,
      others: models.filter((one) => one !== model && canChat(one)).map(({ id }) => id),
    };
  } catch (thrown) {
    if (thrown instanceof AishError && thrown.code === 'model.loading' && !isOfAnotherPerson(candidate.baseUrl))
      return { endpoint, source: `${source} (loading)` };
    return null;
  }
}

/** Longest wait for one response; only the display of the context window depends on it. */
const LIMIT_MS = 3000;

/** The default context of Ollama. It cuts a longer prompt without an error. */
const OLLAMA_DEFAULT = 4096;

/** Most bytes of an answer that are read. */
const LARGEST = 4 * 1024 * 1024;

type Ask = (path: string, body?: JsonObject) => Promise<Json | null>;

/**
 * Queries the context window that a server really runs a model with, not the one the model was made for. Each kind of server has its own
 * address for that; for a server on the local network, aish tries them in turn. Null if none reports it. `wasListed`: the list of models
 * was already read.
 */
export async function askContextWindow(
  endpoint: ModelEndpoint,
  signal: AbortSignal,
  options: { readonly wasListed?: boolean } = {},
): Promise<number | null> {
  const ask: Ask = (path, body) => askJson(endpoint, path, body, signal);
  const near = isNear(endpoint.baseUrl) ? [askLlamaServer, askOllama, askLmStudio] : [];
  const ways = options.wasListed === true ? near : [...near, askList];
  for (const way of ways) {
    const tokens = signal.aborted ? null : await way(ask, endpoint, signal);
    if (tokens !== null) return tokens;
  }
  return null;
}

/** The context of one slot: a server with several shares its context out among them. */
async function askLlamaServer(ask: Ask): Promise<number | null> {
  const props = await ask('/props');
  if (!isJsonObject(props) || !isJsonObject(props.default_generation_settings)) return null;
  return toCount(props.default_generation_settings.n_ctx) ?? toCount(props.n_ctx);
}

async function askOllama(ask: Ask, { model }: ModelEndpoint): Promise<number | null> {
  if (model === null) return null;
  const shown = await ask('/api/show', { model });
  if (!isJsonObject(shown) || !('model_info' in shown || 'parameters' in shown)) return null;
  const running = await ask('/api/ps');
  const loaded = isJsonObject(running)
    ? find(running.models, (one) => one.name === model || one.model === model)
    : null;
  const set = /^num_ctx\s+(\d+)/m.exec(typeof shown.parameters === 'string' ? shown.parameters : '')?.[1];
  return toCount(loaded?.context_length) ?? toCount(Number(set)) ?? OLLAMA_DEFAULT;
}

async function askLmStudio(ask: Ask, { model }: ModelEndpoint): Promise<number | null> {
  const listed = await ask('/api/v0/models');
  if (!isJsonObject(listed)) return null;
  const found = find(listed.data, (one) => one.id === model) ?? find(listed.data, (one) => one.state === 'loaded');
  return toCount(found?.loaded_context_length) ?? toCount(found?.max_context_length);
}

async function askList(_: Ask, endpoint: ModelEndpoint, signal: AbortSignal): Promise<number | null> {
  try {
    const models = await listModels(endpoint, signal, LIMIT_MS);
    return models.find(({ id }) => id === endpoint.model)?.context ?? null;
  } catch {
    // A server without a list of models can still answer requests.
    return null;
  }
}

function find(list: Json | undefined, isMeant: (one: JsonObject) => boolean): JsonObject | null {
  if (!Array.isArray(list)) return null;
  return list.filter((one: Json): one is JsonObject => isJsonObject(one)).find(isMeant) ?? null;
}

function toCount(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}

/** The JSON at a path of the server's root; null for anything else, because most servers know none of these paths. */
async function askJson(
  endpoint: ModelEndpoint,
  path: string,
  body: JsonObject | undefined,
  signal: AbortSignal,
): Promise<Json | null> {
  const url = new URL(endpoint.baseUrl);
  url.pathname = `${url.pathname.replace(/\/v1\/?$/, '').replace(/\/$/, '')}${path}`;
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  try {
    const response = await openRequest(
      endpoint,
      url.href,
      body === undefined ? {} : { body: JSON.stringify(body) },
      bounded,
    );
    const text = await response.text();
    return response.ok && text.length <= LARGEST ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** Lets a llama.cpp server count the tokens of a request, with its chat template; null if this release of it cannot. */
export async function countTokens(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<number | null> {
  const body = toWireBody(endpoint, request);
  const counted = await askJson(endpoint, '/v1/chat/completions/input_tokens', body, signal);
  return isJsonObject(counted) && typeof counted.input_tokens === 'number' ? counted.input_tokens : null;
}
