import type { ModelEndpoint } from '../../adapters/model/models.ts';
import type { KnownWindow } from '../../adapters/store/window-cache.ts';
import { correctionOf } from '../../core/context/estimate.ts';
import type { ModelConfig } from '../../protocol/config.ts';
import type { ContextWindow } from '../../protocol/model.ts';

/** Where windows are kept between processes. */
interface WindowStore {
  read(): ReadonlyMap<string, KnownWindow>;
  write(windows: ReadonlyMap<string, KnownWindow>): void;
}

/** What a book of windows is made of. */
interface ContextWindowCacheDeps {
  /** What the user says of a model, by its name. */
  readonly configured: (name: string) => Pick<ModelConfig, 'context' | 'model'> | undefined;
  readonly store: WindowStore;
}

/** What is known of the models' windows, and how far off our count of their tokens is. */
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

  /** What is known without asking anybody: said by the user, told or learned in this process, or in one before. */
  known(endpoint: ModelEndpoint): ContextWindow | null {
    const model = endpoint.name;
    const known = this.#known.get(toKey(endpoint)) ?? this.#read().get(toKey(endpoint));
    const configured = this.#configured(model)?.context;
    // A server that refuses less than the configuration promises knows better.
    const isRefused = known?.origin === 'refusal' && known.tokens < (configured ?? 0);
    if (configured !== undefined && !isRefused) return { model, tokens: configured, origin: 'configured' };
    if (known !== undefined) return { model, ...known };
    return endpoint.context === undefined ? null : { model, tokens: endpoint.context, origin: 'server' };
  }

  /** Asks the server, once in a process; what it says replaces what was learned. Null where the user has said it, or nobody knows. */
  ask(endpoint: ModelEndpoint): Promise<ContextWindow | null> {
    if (this.#configured(endpoint.name)?.context !== undefined) return Promise.resolve(null);
    const key = toKey(endpoint);
    const asked = this.#asked.get(key) ?? this.#ask(endpoint);
    this.#asked.set(key, asked);
    return asked;
  }

  /** Notes a window that a refusal told of, or, as a guess for this process alone, a smaller one than what was refused. */
  learn(endpoint: ModelEndpoint, tokens: number, options: { readonly isGuess: boolean }): ContextWindow {
    return this.#note(endpoint, { tokens, origin: 'refusal' }, options.isGuess);
  }

  /** What estimates for a model are multiplied with. */
  correction(endpoint: ModelEndpoint): number {
    return this.#corrections.get(toKey(endpoint)) ?? 1;
  }

  /** The server counted a request that was estimated before, without correction. */
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
