import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { once } from '../../adapters/system/system-calls.ts';
import type { Config } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import type { Completion, CompletionDelta, ModelRequest } from '../../protocol/model.ts';

/** Where models are looked for. */
export interface ModelContext {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a model is looked for when none is configured; `loopback` where nobody knows what the user configured. */
  readonly discovery?: 'anywhere' | 'loopback';
}

/** What is told of a request while it is under way. */
export interface RequestTold {
  readonly onStatus: (text: string) => void;
  readonly onBody: (body: string, endpoint: ModelEndpoint) => void;
}

/** The models that sessions ask, configured or found, each looked for once. */
export class ModelEndpoints {
  readonly #options: ModelContext;
  readonly #known = new Map<string | null, Promise<ModelEndpoint>>();
  #hasNone = false;
  readonly #chat = once(() => import('../../adapters/model/chat-completions.ts'));

  constructor(options: ModelContext) {
    this.#options = options;
  }

  /** True where a model was looked for, and none was there. */
  get hasNone(): boolean {
    return this.#hasNone;
  }

  /** Where a model answers; found once and kept. */
  find(name: string | null): Promise<ModelEndpoint> {
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

  /** Looks for a model when none is configured. One line that says what was found; null when there is nothing to look for. */
  async lookAround(signal: AbortSignal): Promise<string | null> {
    if (Object.keys(this.#options.config.models).length > 0) return null;
    const { candidatesOf, discoverModels } = await import('../../adapters/model/model-list.ts');
    const [found] = await discoverModels(this.#options.env, signal, candidatesOf(this.#options.discovery));
    this.#hasNone = found === undefined;
    if (found === undefined) return 'no model found on this machine: commands work, and `aish demo` shows the rest';
    this.#known.set(null, Promise.resolve(found.endpoint));
    return `model: ${found.source}`;
  }

  /** Asks a model; the name a server gave for it is kept, until it is no longer known there. */
  async complete(
    endpoint: ModelEndpoint,
    request: ModelRequest,
    onDelta: (delta: CompletionDelta) => void,
    signal: AbortSignal,
    told: RequestTold,
  ): Promise<Completion> {
    const { requestCompletion } = await this.#chat();
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
    const { candidatesOf, findModel } = await import('../../adapters/model/model-list.ts');
    return findModel(env, undefined, candidatesOf(this.#options.discovery));
  }
}
