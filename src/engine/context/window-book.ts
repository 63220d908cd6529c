import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { correctionOf } from '../../core/context/estimate.ts';
import type { ModelConfig } from '../../protocol/config.ts';
import type { ContextWindow, WindowOrigin } from '../../protocol/context.ts';

/** Where windows are kept between processes. */
export interface WindowStore {
  read(): ReadonlyMap<string, number>;
  write(windows: ReadonlyMap<string, number>): void;
}

/** What a book of windows is made of. */
export interface WindowBookParts {
  /** What the person says of a model, by its name. */
  readonly configured: (name: string) => Pick<ModelConfig, 'context' | 'model'> | undefined;
  readonly store: WindowStore;
}

/** What is known of the models' windows, and how far off our count of their tokens is. */
export class WindowBook {
  readonly #configured: WindowBookParts['configured'];
  readonly #store: WindowStore;
  readonly #known = new Map<string, ContextWindow>();
  readonly #asked = new Map<string, Promise<ContextWindow | null>>();
  readonly #corrections = new Map<string, number>();
  readonly #closing = new AbortController();
  #stored: Map<string, number> | null = null;

  constructor(options: WindowBookParts) {
    this.#configured = options.configured;
    this.#store = options.store;
  }

  /** What is known without asking anybody: said by the person, told or learned in this process, or in one before. */
  known(endpoint: ModelEndpoint): ContextWindow | null {
    const configured = this.#configured(endpoint.name)?.context;
    if (configured !== undefined) return { model: endpoint.name, tokens: configured, origin: 'configured' };
    const known = this.#known.get(toKey(endpoint));
    if (known !== undefined) return known;
    const told = endpoint.context ?? this.#read().get(toKey(endpoint));
    return told === undefined ? null : { model: endpoint.name, tokens: told, origin: 'server' };
  }

  /** Asks the server, once in a process; what it says replaces what was learned. Null where the person has said it, or nobody knows. */
  ask(endpoint: ModelEndpoint): Promise<ContextWindow | null> {
    if (this.#configured(endpoint.name)?.context !== undefined) return Promise.resolve(null);
    const key = toKey(endpoint);
    const asked = this.#asked.get(key) ?? this.#ask(endpoint);
    this.#asked.set(key, asked);
    return asked;
  }

  /** Notes a window that a refusal told of, or a smaller one than what was refused. */
  learn(endpoint: ModelEndpoint, tokens: number): ContextWindow {
    return this.#note(endpoint, tokens, 'refusal');
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
    const { askContextWindow } = await import('../../adapters/model/context-window.ts');
    const configured = this.#configured(endpoint.name);
    const wasListed = configured === undefined ? endpoint.keyEnv === undefined : configured.model === undefined;
    const tokens = await askContextWindow(endpoint, this.#closing.signal, { wasListed });
    return tokens === null ? null : this.#note(endpoint, tokens, 'server');
  }

  #note(endpoint: ModelEndpoint, tokens: number, origin: WindowOrigin): ContextWindow {
    const window = { model: endpoint.name, tokens, origin };
    const key = toKey(endpoint);
    this.#known.set(key, window);
    if (this.#read().get(key) !== tokens) this.#store.write(this.#read().set(key, tokens));
    return window;
  }

  #read(): Map<string, number> {
    this.#stored ??= new Map(this.#store.read());
    return this.#stored;
  }
}

function toKey({ baseUrl, model, name }: ModelEndpoint): string {
  return `${baseUrl} ${model ?? name}`;
}
