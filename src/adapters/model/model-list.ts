import { AishError } from '../../protocol/error.ts';
import { isJsonObject, type Json } from '../../protocol/json.ts';
import { toModelError, toNetworkError } from './model-error.ts';
import { type ModelEndpoint, toResourceUrl } from './models.ts';
import { openRequest } from './request.ts';
import { readErrorFault } from './response.ts';

/** A model a server has. */
export interface ListedModel {
  readonly id: string;
  /** Tokens of context, where the server tells. */
  readonly context?: number;
}

/** Most bytes of a list that are read. */
const LIST_LIMIT = 8 * 1024 * 1024;

/** What a server says it serves. */
export async function listModels(
  endpoint: ModelEndpoint,
  signal: AbortSignal,
  limitMs: number,
): Promise<ListedModel[]> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const response = await openRequest(endpoint, toResourceUrl(endpoint.baseUrl, 'models'), {}, bounded);
    const text = await readBounded(response);
    if (!response.ok) throw await toModelError(readErrorFault(response, text), endpoint, async () => []);
    return parseList(text, endpoint);
  } catch (thrown) {
    throw thrown instanceof AishError
      ? thrown
      : toNetworkError(thrown, endpoint, signal.aborted ? 'aborted' : bounded.aborted ? 'first-byte' : null);
  }
}

/** The endpoint with a model named: the configured one, the one called like the section, or the first that can chat. */
export async function nameModel(endpoint: ModelEndpoint, signal: AbortSignal): Promise<ModelEndpoint> {
  if (endpoint.model !== null) return endpoint;
  const chosen = pickModel(await listModels(endpoint, signal, 10_000), endpoint.name);
  if (chosen === null) {
    throw new AishError('model.none', `the server of model "${endpoint.name}" has no model loaded`, {
      hint: `load one there, or set model in [models.${endpoint.name}]`,
    });
  }
  return { ...(chosen.context === undefined ? {} : { context: chosen.context }), ...endpoint, model: chosen.id };
}

/** The model to talk to: the one so named, else the first that does not look made for something else. */
export function pickModel(models: readonly ListedModel[], name: string): ListedModel | null {
  const named = models.find((model) => model.id === name);
  const talking = models.find((model) => !/embed|rerank|whisper|tts|dall-e|moderation|bge-/i.test(model.id));
  return named ?? talking ?? models[0] ?? null;
}

function parseList(text: string, endpoint: ModelEndpoint): ListedModel[] {
  const parsed = parseJson(text);
  const entries = isJsonObject(parsed) ? (parsed.data ?? parsed.models) : parsed;
  if (!Array.isArray(entries)) {
    throw new AishError(
      'model.not-json',
      `the server of model "${endpoint.name}" did not answer with a list of models`,
      {
        hint: 'check base_url: it ends before /chat/completions, usually in /v1',
      },
    );
  }
  return entries.flatMap((entry: Json) => {
    if (!isJsonObject(entry) || typeof entry.id !== 'string') return [];
    const meta = isJsonObject(entry.meta) ? entry.meta : {};
    const context = [meta.n_ctx, entry.max_model_len, entry.context_length].find((size) => typeof size === 'number');
    return [context === undefined ? { id: entry.id } : { id: entry.id, context }];
  });
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
