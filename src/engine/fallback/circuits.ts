import type { ModelEndpoint } from '../../adapters/model/models.ts';

/** Time between two looks at a server that failed. */
const HEALTH_MS = 15_000;

/** Longest wait for its list of models. */
const LIST_MS = 3000;

interface CircuitsDeps {
  /** Asks a server whether it answers at all; throws if it does not. */
  readonly check: (endpoint: ModelEndpoint, limitMs: number) => Promise<unknown>;
  readonly wait: (milliseconds: number) => Promise<void>;
}

const DEPS: CircuitsDeps = {
  check: async (endpoint, limitMs) => {
    const { listModels } = await import('../../adapters/model/model-list.ts');
    await listModels(endpoint, new AbortController().signal, limitMs);
  },
  // The wait keeps no process alive.
  wait: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds).unref()),
};

/**
 * The servers that failed a moment ago. While a server is on the list, its fallback answers at once. aish looks behind the prompt whether the
 * server is back.
 */
export class Circuits {
  readonly #deps: CircuitsDeps;
  readonly #open = new Set<string>();

  constructor(deps: CircuitsDeps = DEPS) {
    this.#deps = deps;
  }

  /** True while the server is known to fail. */
  isOpen({ baseUrl }: ModelEndpoint): boolean {
    return this.#open.has(baseUrl);
  }

  /** The server failed. */
  trip(endpoint: ModelEndpoint): void {
    if (this.#open.has(endpoint.baseUrl)) return;
    this.#open.add(endpoint.baseUrl);
    void this.#watch(endpoint);
  }

  /** The server answered. */
  reset({ baseUrl }: ModelEndpoint): void {
    this.#open.delete(baseUrl);
  }

  async #watch(endpoint: ModelEndpoint): Promise<void> {
    while (this.#open.has(endpoint.baseUrl)) {
      await this.#deps.wait(HEALTH_MS);
      await this.#deps.check(endpoint, LIST_MS).then(
        () => this.reset(endpoint),
        () => {},
      );
    }
  }
}
