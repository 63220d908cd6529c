import { join } from 'node:path';
import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { readOwnFile, writeAtomically } from '../../adapters/system/own-file.ts';
import { correctionOf } from '../../core/context/estimate.ts';
import { succeeds } from '../../core/text/attempt.ts';
import type { ModelConfig } from '../../protocol/config.ts';
import { isJsonObject, type Json, parseJsonObject } from '../../protocol/json.ts';
import type { ContextWindow } from '../../protocol/model.ts';

/** The known window of a model. */
type KnownWindow = Omit<ContextWindow, 'model'>;

/** Most models in the cache; the oldest entry goes first. */
const MOST = 100;

/** A server may restart with another context, so an entry expires after this time. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

interface ContextWindowCacheDeps {
  /** The configuration of a model by its name. */
  readonly configured: (name: string) => Pick<ModelConfig, 'context' | 'model'> | undefined;
  readonly store: Pick<WindowCache, 'read' | 'write'>;
}

/** The known context windows of models, and the error of the token estimates. */
export class ContextWindowCache {
  readonly #configured: ContextWindowCacheDeps['configured'];
  readonly #store: ContextWindowCacheDeps['store'];
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

/** Stores learned windows between processes. Losing it does no harm. */
export class WindowCache {
  readonly #path: string;
  readonly #now: () => number;

  constructor(cacheFolder: string, now: () => number = Date.now) {
    this.#path = join(cacheFolder, 'context-windows.json');
    this.#now = now;
  }

  read(): ReadonlyMap<string, KnownWindow> {
    const known = new Map<string, KnownWindow>();
    for (const [key, entry] of Object.entries(parseJsonObject(readOwnFile(this.#path) ?? '') ?? {})) {
      const window = toWindow(entry, this.#now());
      if (window !== null) known.set(key, window);
    }
    return known;
  }

  /** A failed write does no harm: aish learns the window again. */
  write(windows: ReadonlyMap<string, KnownWindow>): void {
    const entries = [...windows].slice(-MOST).map(([key, window]) => [key, { ...window, at: this.#now() }] as const);
    succeeds(() => writeAtomically(this.#path, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`));
  }
}

function toWindow(entry: Json | undefined, now: number): KnownWindow | null {
  if (!isJsonObject(entry)) return null;
  const { tokens, origin, at } = entry;
  if (typeof tokens !== 'number' || !Number.isInteger(tokens) || tokens <= 0) return null;
  if (origin !== 'server' && origin !== 'refusal') return null;
  if (typeof at !== 'number' || Math.abs(now - at) > KEPT_MS) return null;
  return { tokens, origin };
}

function toKey({ baseUrl, model, name }: ModelEndpoint): string {
  return `${baseUrl} ${model ?? name}`;
}
