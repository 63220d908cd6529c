import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { listModels } from './model-list.ts';
import { isNear, type ModelEndpoint } from './models.ts';
import { openRequest } from './request.ts';

/** Longest wait for one answer; nobody waits for it but what is told of the window. */
const LIMIT_MS = 3000;

/** What Ollama gives a model when nobody says otherwise; a longer prompt is cut by it without a word. */
const OLLAMA_DEFAULT = 4096;

/** Most bytes of an answer that are read. */
const LARGEST = 4 * 1024 * 1024;

type Ask = (path: string, body?: JsonObject) => Promise<Json | null>;

/**
 * Asks a server how many tokens it lets a model hold: what it really runs with, not what the model was made for. Each server has its own
 * address for that; those that a server in the own network may be are tried in turn. Null where none tells. `wasListed`: its list of models
 * was read already.
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

/** What one slot holds: a server with several shares its context out among them. */
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
    // A server that lists nothing answers all the same.
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

/** What stands at a path of the server's root, as JSON; null for anything else, since most servers know none of these paths. */
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
