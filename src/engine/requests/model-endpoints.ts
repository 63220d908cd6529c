import type { LocalServer } from '../../adapters/model/local-server.ts';
import type { ModelEndpoint } from '../../adapters/model/models.ts';
import type { Learned } from '../../adapters/model/request-completion.ts';
import { once } from '../../core/text/memoize.ts';
import type { Config } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import type { EventOf } from '../../protocol/event.ts';
import type { Completion, CompletionDelta, ModelRequest, RequestDelay, Usage } from '../../protocol/model.ts';
import { NO_MODEL } from './messages.ts';

/** A model in this process, such as the program that an MCP client connects with. */
export interface ModelSource {
  readonly endpoint: ModelEndpoint;
  readonly complete: (request: ModelRequest) => Completion;
}

/** Sources of models. */
export interface ModelContext {
  /** Answers every request in place of a server. */
  readonly source?: ModelSource;
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder with what aish has learned about servers, and with the logs of servers that it runs; without it nothing is kept or run. */
  readonly paths?: { readonly state: string };
  /** The places to search if no model is configured; `loopback` if the configuration is unknown. */
  readonly discovery?: 'anywhere' | 'loopback';
}

/** Receives the progress of a request. */
export interface RequestProgress {
  readonly onDelay: (delay: RequestDelay) => void;
  /** The share of the prompt that the server has read, from 0 to 100; null if the request waits for its turn. */
  readonly onProgress: (percent: number | null) => void;
  readonly onBody: (body: string, endpoint: ModelEndpoint) => void;
  /** The server refused something, and answered without it. */
  readonly onLearned: (lessons: readonly Learned[]) => void;
  /** The answer of `nameAhead`. */
  readonly named?: Promise<ModelEndpoint> | null;
}

/** After these faults the server may run another model. */
const FORGOTTEN_AFTER: ReadonlySet<string> = new Set(['model.not-found', 'model.unreachable', 'model.incomplete']);

/** The models of all sessions, configured or found; each search runs once. */
export class ModelEndpoints {
  readonly #options: ModelContext;
  readonly #known = new Map<string | null, Promise<ModelEndpoint>>();
  /** The servers that failed a moment ago. */
  readonly circuits = once(async () => new (await import('./request-with-fallback.ts')).Circuits());
  #hasNone = false;
  readonly #profiles = once(async () => {
    const { paths } = this.#options;
    if (paths === undefined) return null;
    const { ProfileStore } = await import('../../adapters/store/profile-store.ts');
    return new ProfileStore(paths.state);
  });
  /** The servers that aish runs, by the name of their model. */
  readonly #servers = new Map<string, LocalServer>();
  /** The addresses of llama.cpp servers, and of all servers that have answered. */
  readonly #llamas = new Set<string>();
  readonly #answered = new Set<string>();
  readonly #chat = once(() => import('../../adapters/model/request-completion.ts'));

  constructor(options: ModelContext) {
    this.#options = options;
  }

  /** True if the search found no model. */
  get hasNone(): boolean {
    return this.#hasNone;
  }

  /** The endpoint of a model, searched once. */
  find(name: string | null): Promise<ModelEndpoint> {
    const { source } = this.#options;
    if (source !== undefined) return Promise.resolve(source.endpoint);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#resolve(name);
    found.then(
      () => {
        this.#hasNone = false;
      },
      () => this.#known.delete(name),
    );
    this.#known.set(name, found);
    return found;
  }

  /** Searches for a model if none is configured. Returns a notice of one line; null without a search. */
  async lookAround(signal: AbortSignal): Promise<string | null> {
    if (Object.keys(this.#options.config.models).length > 0) return null;
    const { candidatesOf, discoverModels } = await import('../../adapters/model/model-list.ts');
    const [found] = await discoverModels(this.#options.env, signal, candidatesOf(this.#options.discovery));
    this.#hasNone = found === undefined;
    if (found === undefined) return NO_MODEL;
    this.#known.set(null, Promise.resolve(found.endpoint));
    return `model: ${found.source}`;
  }

  /** Asks a server for the name of its model while a request is composed; null where the name is known, or the server may have to be started. */
  nameAhead(endpoint: ModelEndpoint, signal: AbortSignal): Promise<ModelEndpoint> | null {
    const { config, source } = this.#options;
    if (endpoint.model !== null || source !== undefined || config.models[endpoint.name]?.command !== undefined)
      return null;
    const named = import('../../adapters/model/model-list.ts').then(({ nameModel }) => nameModel(endpoint, signal));
    // The request itself meets the failure.
    named.catch(() => {});
    return named;
  }

  /** Sends a request to a model, and keeps the name that the server gave it until the server forgets it. */
  async complete(
    endpoint: ModelEndpoint,
    request: ModelRequest,
    onDelta: (delta: CompletionDelta) => void,
    signal: AbortSignal,
    progress: RequestProgress,
  ): Promise<Completion> {
    const { source } = this.#options;
    if (source !== undefined) return source.complete(request);
    const { requestCompletion } = await this.#chat();
    const isOurs = await this.#serve(endpoint, signal, progress);
    const onNamed = (named: ModelEndpoint): void => void this.#keep(endpoint, named);
    try {
      const profiles = await this.#profiles();
      const completion = await requestCompletion(endpoint, request, onDelta, signal, {
        ...progress,
        isExpected: isOurs || this.#answered.has(endpoint.baseUrl),
        onNamed,
        profileOf: (asked) => {
          const known = profiles?.find(asked.baseUrl, asked.model ?? '')?.profile;
          return this.#isLlama(asked) ? { ...known, progress: true } : known;
        },
        onSign: (sign) => {
          if (sign.type === 'llama.cpp') this.#llamas.add(endpoint.baseUrl);
          else progress.onProgress(sign.type === 'reading' ? sign.percent : null);
        },
        onLearned: (asked, lessons) => {
          profiles?.keep(asked.baseUrl, asked.model ?? '', lessons);
          progress.onLearned(lessons);
        },
      });
      this.#answered.add(endpoint.baseUrl);
      return completion;
    } catch (thrown) {
      // The next request asks the server for the name of its model again.
      if (thrown instanceof AishError && FORGOTTEN_AFTER.has(thrown.code)) await this.#keep(endpoint, null);
      throw thrown;
    }
  }

  /** The exact size of a request in tokens, if its server counts: only llama.cpp does. */
  async count(endpoint: ModelEndpoint, request: ModelRequest, signal: AbortSignal): Promise<number | null> {
    if (!this.#isLlama(endpoint)) return null;
    const profile = (await this.#profiles())?.find(endpoint.baseUrl, endpoint.model ?? '')?.profile ?? {};
    return (await import('../../adapters/model/model-list.ts')).countTokens({ ...endpoint, profile }, request, signal);
  }

  /** Ends the model servers that aish started. */
  close(): void {
    for (const server of this.#servers.values()) server.close();
    this.#servers.clear();
  }

  /** Starts the server of a model that names a command, if it does not run, and waits until it has loaded the model. False without a command. */
  async #serve(endpoint: ModelEndpoint, signal: AbortSignal, { onDelay }: RequestProgress): Promise<boolean> {
    const { config, env, paths } = this.#options;
    const { name, baseUrl } = endpoint;
    const { command, args = [] } = config.models[name] ?? {};
    if (command === undefined || paths === undefined) return false;
    const { LocalServer } = await import('../../adapters/model/local-server.ts');
    const log = `${paths.state}/servers/${name}.log`;
    const server = this.#servers.get(name) ?? new LocalServer({ name, command, args, baseUrl, log, env });
    this.#servers.set(name, server);
    const onWait = (): void => onDelay({ reason: 'loading', model: name, waitMs: 0, attempt: 1, of: null, said: '' });
    await server.ensure(signal, onWait);
    return true;
  }

  #isLlama({ name, baseUrl, isLlama }: ModelEndpoint): boolean {
    const { command = '' } = this.#options.config.models[name] ?? {};
    return isLlama === true || this.#llamas.has(baseUrl) || /(^|\/)llama-server$/.test(command);
  }

  async #keep(known: ModelEndpoint, better: ModelEndpoint | null): Promise<void> {
    for (const [name, found] of [...this.#known]) {
      // Its own caller reports a failure, such as a missing key.
      const endpoint = await found.catch(() => null);
      if (endpoint !== known || this.#known.get(name) !== found) continue;
      if (better === null) this.#known.delete(name);
      else this.#known.set(name, Promise.resolve(better));
    }
  }

  async #resolve(name: string | null): Promise<ModelEndpoint> {
    const { resolveModel } = await import('../../adapters/model/models.ts');
    const { config, env } = this.#options;
    if (name?.includes(':')) return (await import('../../adapters/model/presets.ts')).resolvePreset(name, env);
    if (Object.keys(config.models).length > 0) return resolveModel(config.models, name, env);
    const { candidatesOf, findModel } = await import('../../adapters/model/model-list.ts');
    return findModel(env, undefined, candidatesOf(this.#options.discovery));
  }
}

/** The tokens of a request beside the conversation. */
export function countRequest({ name, model, baseUrl }: ModelEndpoint, usage: Usage): EventOf<'request.counted'> {
  return { type: 'request.counted', model: name, served: model, host: new URL(baseUrl).hostname, usage };
}
