import { toShownUrl } from '../../core/address.ts';
import { AishError } from '../../protocol/error.ts';
import { MODEL_CANDIDATES, type ModelCandidate } from './candidates.ts';
import { listModels, pickModel } from './model-list.ts';
import { isLoopback, type ModelEndpoint, toEndpoint } from './models.ts';

/** A model that can be used now. */
export interface FoundModel {
  readonly endpoint: ModelEndpoint;
  /** One line for people: what it is and how it was found. */
  readonly source: string;
}

/** Longest wait for a server on this machine to tell that it is there. */
const PROBE_MS = 300;

/** The places to look in: all of them, or only those on this machine. */
export function candidatesOf(where: 'anywhere' | 'loopback' = 'anywhere'): readonly ModelCandidate[] {
  if (where === 'anywhere') return MODEL_CANDIDATES;
  return MODEL_CANDIDATES.filter(({ keyEnv, baseUrl }) => keyEnv === undefined && isLoopback(baseUrl));
}

/** Everything that is there, in the order of the candidates. Keys cost no request; servers are asked side by side. */
export async function discoverModels(
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
  candidates: readonly ModelCandidate[] = MODEL_CANDIDATES,
): Promise<FoundModel[]> {
  const found = await Promise.all(
    candidates.map((candidate) =>
      candidate.keyEnv === undefined ? probe(candidate, signal) : findByKey(candidate, candidate.keyEnv, env),
    ),
  );
  return found.filter((model) => model !== null);
}

/** The best model that is there, or the error that says how to set one up. A key spares the search on the network. */
export async function findModel(
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal = new AbortController().signal,
  candidates: readonly ModelCandidate[] = MODEL_CANDIDATES,
): Promise<ModelEndpoint> {
  const withKey = candidates.filter((candidate) => candidate.keyEnv !== undefined);
  const without = candidates.filter((candidate) => candidate.keyEnv === undefined);
  const [byKey] = await discoverModels(env, signal, withKey);
  const best = byKey ?? (await discoverModels(env, signal, without))[0];
  if (best !== undefined) return best.endpoint;
  const hint =
    withKey.length === 0
      ? 'start a model server on this machine, or correct the configuration: aish config check'
      : 'start a llama.cpp server (llama-server -m MODEL.gguf --jinja), or export OPENAI_API_KEY, or add [models.NAME] to the configuration';
  throw new AishError('model.none', 'no model is set up, and none was found on this machine', { hint });
}

function findByKey(
  candidate: ModelCandidate,
  variable: string,
  env: Readonly<Record<string, string | undefined>>,
): FoundModel | null {
  const key = env[variable]?.trim();
  if (key === undefined || key === '') return null;
  const elsewhere = candidate.baseUrlEnv === undefined ? undefined : env[candidate.baseUrlEnv]?.trim();
  const moved = elsewhere !== undefined && elsewhere !== '';
  const config = moved
    ? { base_url: elsewhere, key_env: variable }
    : {
        base_url: candidate.baseUrl,
        key_env: variable,
        ...(candidate.model === undefined ? {} : { model: candidate.model }),
      };
  const endpoint = toEndpoint(candidate.name, config, key);
  const what = moved ? toShownUrl(endpoint.baseUrl) : `${candidate.title} (${candidate.model ?? 'its first model'})`;
  return { endpoint, source: `${what}, by ${variable}` };
}

/** A server that loads its model is there too; its name is asked for later. */
async function probe(candidate: ModelCandidate, signal: AbortSignal): Promise<FoundModel | null> {
  const endpoint = toEndpoint(candidate.name, { base_url: candidate.baseUrl }, null);
  const source = `${candidate.title} at ${toShownUrl(endpoint.baseUrl)}`;
  try {
    const model = pickModel(await listModels(endpoint, signal, PROBE_MS), candidate.name);
    if (model === null) return null;
    const context = model.context === undefined ? {} : { context: model.context };
    return { endpoint: { ...endpoint, ...context, model: model.id }, source: `${source} (${model.id})` };
  } catch (thrown) {
    if (thrown instanceof AishError && thrown.code === 'model.loading')
      return { endpoint, source: `${source} (loading)` };
    return null;
  }
}
