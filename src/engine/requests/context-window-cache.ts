import type { ModelEndpoint } from '../../adapters/model/models.ts';
import type { KnownWindow } from '../../adapters/store/window-cache.ts';
import { correctionOf } from '../../core/context/estimate.ts';
import type { ModelConfig } from '../../protocol/config.ts';
import type { ContextWindow } from '../../protocol/model.ts';

/** Stores windows between processes. */
interface WindowStore {
  read(): ReadonlyMap<string, KnownWindow>;
  write(windows: ReadonlyMap<string, KnownWindow>): void;
}

interface ContextWindowCacheDeps {
  /** The configuration of a model by its name. */
  readonly configured: (name: string) => Pick<ModelConfig, 'context' | 'model'> | undefined;
  readonly store: WindowStore;
}

/** The known context windows of models, and the error of the token estimates. */
export class ContextWindowCache {
  readonly #configured: ContextWindowCacheDeps['configured'];
  readonly #store: WindowStore;
  readonly #known = new Map<string, KnownWindow>();
  readonly #asked = new Map<string, Promise<ContextWindow | null>>();
  readonly #corrections = new Map<string, number>();
  readonly #closing = new AbortController();
  #stored: Map<string, KnownWindow> | null = null;

  constructor(options: ContextWindowCacheDeps) {
    this.#configured = options.configured;
    this.#store = options.store;
  }

  /** The window from the configuration or the cache, without a request. */
  known(endpoint: ModelEndpoint): ContextWindow | null {
    const model = endpoint.name;
    const known = this.#known.get(toKey(endpoint)) ?? this.#read().get(toKey(endpoint));
    const configured = this.#configured(model)?.context;
    // A server that refuses less than the configured size knows better.
    const isRefused = known?.origin === 'refusal' && known.tokens < (configured ?? 0);
    if (configured !== undefined && !isRefused) return { model, tokens: configured, origin: 'configured' };
    if (known !== undefined) return { model, ...known };
    return endpoint.context === undefined ? null : { model, tokens: endpoint.context, origin: 'server' };
  }

  /** Queries the server once per process; its answer replaces a learned size. Null if the size is configured or unknown. */
  ask(endpoint: ModelEndpoint): Promise<ContextWindow | null> {
    if (this.#configured(endpoint.name)?.context !== undefined) return Promise.resolve(null);
    const key = toKey(endpoint);
    const asked = this.#asked.get(key) ?? this.#ask(endpoint);
    this.#asked.set(key, asked);
    return asked;
  }

  /** The server may have restarted with another context: the next question goes to it again. */
  expire(endpoint: ModelEndpoint): void {
    this.#asked.delete(toKey(endpoint));
  }

  /** Notes the window that a refusal named, or a guess for this process alone. */
  learn(endpoint: ModelEndpoint, tokens: number, options: { readonly isGuess: boolean }): ContextWindow {
    return this.#note(endpoint, { tokens, origin: 'refusal' }, options.isGuess);
  }

  /** The factor for estimates of a model. */
  correction(endpoint: ModelEndpoint): number {
    return this.#corrections.get(toKey(endpoint)) ?? 1;
  }

  /** Corrects the factor with the server's count of an uncorrected estimate. */
  correct(endpoint: ModelEndpoint, estimated: number, counted: number): void {
    const correction = correctionOf(estimated, counted);
    if (correction !== null) this.#corrections.set(toKey(endpoint), correction);
  }

  close(): void {
    this.#closing.abort();
  }

  async #ask(endpoint: ModelEndpoint): Promise<ContextWindow | null> {
    const { askContextWindow } = await import('../../adapters/model/model-list.ts');
    const configured = this.#configured(endpoint.name);
    const wasListed = configured === undefined ? endpoint.keyEnv === undefined : configured.model === undefined;
    const tokens = await askContextWindow(endpoint, this.#closing.signal, { wasListed });
    return tokens === null ? null : this.#note(endpoint, { tokens, origin: 'server' }, false);
  }

  #note(endpoint: ModelEndpoint, window: KnownWindow, isGuess: boolean): ContextWindow {
    const key = toKey(endpoint);
    this.#known.set(key, window);
    const stored = this.#read();
    const isStored = stored.get(key)?.tokens === window.tokens && stored.get(key)?.origin === window.origin;
    if (!isGuess && !isStored) this.#store.write(stored.set(key, window));
    return { model: endpoint.name, ...window };
  }

  #read(): Map<string, KnownWindow> {
    this.#stored ??= new Map(this.#store.read());
    return this.#stored;
  }
}

function toKey({ baseUrl, model, name }: ModelEndpoint): string {
  return `${baseUrl} ${model ?? name}`;
}
