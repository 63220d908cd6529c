import type { ModelEndpoint } from '../../adapters/model/models.ts';
import type { Config } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import { LoadedOnce } from '../loaded-once.ts';
import type { ModelHands } from './request-model.ts';

/** Where models are looked for. */
export interface ModelPlaces {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a model is looked for when none is configured; `loopback` where nobody knows what the person configured. */
  readonly discovery?: 'anywhere' | 'loopback';
}

/** The models that sessions ask, configured or found, each looked for once. */
export class ModelEndpoints {
  readonly #options: ModelPlaces;
  readonly #known = new Map<string | null, Promise<ModelEndpoint>>();
  readonly #chat = new LoadedOnce(() => import('../../adapters/model/chat-completions.ts'));

  constructor(options: ModelPlaces) {
    this.#options = options;
  }

  /** Where a model answers; found once and kept. */
  find(name: string | null): Promise<ModelEndpoint> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#resolve(name);
    found.catch(() => this.#known.delete(name));
    this.#known.set(name, found);
    return found;
  }

  /** Looks for a model when none is configured. One line that says what was found; null when there is nothing to look for. */
  async lookAround(signal: AbortSignal): Promise<string | null> {
    if (Object.keys(this.#options.config.models).length > 0) return null;
    const { candidatesOf, discoverModels } = await import('../../adapters/model/discover.ts');
    const [found] = await discoverModels(this.#options.env, signal, candidatesOf(this.#options.discovery));
    if (found === undefined) return 'no model found on this machine: commands work, and `aish demo` shows the rest';
    this.#known.set(null, Promise.resolve(found.endpoint));
    return `model: ${found.source}`;
  }

  /** Asks a model; the name a server gave for it is kept, until it is no longer known there. */
  async complete(...[endpoint, request, onDelta, signal, told]: Parameters<ModelHands['complete']>) {
    const { requestCompletion } = await this.#chat.get();
    const onNamed = (named: ModelEndpoint): void => void this.#keep(endpoint, named);
    try {
      return await requestCompletion(endpoint, request, onDelta, signal, { ...told, onNamed });
    } catch (thrown) {
      if (thrown instanceof AishError && thrown.code === 'model.not-found') await this.#keep(endpoint, null);
      throw thrown;
    }
  }

  async #keep(known: ModelEndpoint, better: ModelEndpoint | null): Promise<void> {
    for (const [name, found] of [...this.#known]) {
      // One that cannot be had, such as a model whose key is missing, is told to who asked for it.
      const endpoint = await found.catch(() => null);
      if (endpoint !== known || this.#known.get(name) !== found) continue;
      if (better === null) this.#known.delete(name);
      else this.#known.set(name, Promise.resolve(better));
    }
  }

  async #resolve(name: string | null): Promise<ModelEndpoint> {
    const { resolveModel } = await import('../../adapters/model/models.ts');
    const { config, env } = this.#options;
    if (Object.keys(config.models).length > 0) return resolveModel(config.models, name, env);
    const { candidatesOf, findModel } = await import('../../adapters/model/discover.ts');
    return findModel(env, undefined, candidatesOf(this.#options.discovery));
  }
}
