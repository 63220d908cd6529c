import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { heldContent } from '../../core/context/compaction.ts';
import { currentModel, type SessionState } from '../../core/session/state.ts';
import { isNearAddress } from '../../core/text/address.ts';
import { AishError } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { formatFallback, formatHeldBack } from './messages.ts';

/** The dependencies that choose another model after a failure. */
export interface FallbackDeps {
  /** The models to ask if a model fails, in order. */
  readonly fallbacks: (model: string | null) => readonly string[];
  readonly circuits: () => Promise<Circuits>;
  readonly endpoint: (model: string | null) => Promise<ModelEndpoint>;
}

/** The part of an effect's context that is used here. */
interface RequestContext {
  readonly state: () => SessionState;
  readonly record: (...events: readonly SessionEvent[]) => void;
}

/** Asks one model. `record` replaces that of the effect. */
type Ask = (record: RequestContext['record'], model: string | null) => Promise<void>;

/** Failures of a server, or of the way to it. Another model may answer; a faulty request would fail there, too. */
const FAILURES: ReadonlySet<string> = new Set([
  ...[
    'model.unreachable',
    'model.unknown-host',
    'model.tls',
    'model.timeout',
    'model.incomplete',
    'model.server-error',
  ],
  ...['model.rate-limited', 'model.loading', 'model.unauthorized', 'model.no-key', 'model.no-credit', 'model.quota'],
  ...['model.region', 'model.not-found', 'model.no-content', 'model.not-json', 'model.none', 'model.unknown'],
]);

/** One step of the model of the turn; if that fails before a word of the answer, of its fallbacks in order. */
export async function requestWithFallback(context: RequestContext, deps: FallbackDeps, ask: Ask): Promise<void> {
  const first = currentModel(context.state());
  const chain = deps.fallbacks(first);
  const circuits = await deps.circuits();
  let hasBegun = false;
  const record: RequestContext['record'] = (...events) => {
    if (events.some(({ type }) => DELTAS.has(type))) hasBegun = true;
    context.record(...events);
  };
  const home = await deps.endpoint(first).catch(() => null);
  let failure: unknown = null;
  for (const [at, model] of [first, ...chain].entries()) {
    const endpoint = at === 0 ? home : await deps.endpoint(model).catch(() => null);
    const isLast = at === chain.length;
    if (endpoint !== null && circuits.isOpen(endpoint) && !isLast) continue;
    if (at > 0 && !mayMove(home, endpoint, context)) continue;
    if (at > 0 && endpoint !== null) context.record(notice(formatFallback(first ?? home?.name ?? '', endpoint.name)));
    try {
      await ask(record, model);
      if (endpoint !== null) circuits.reset(endpoint);
      return;
    } catch (thrown) {
      failure ??= thrown;
      if (hasBegun || !(thrown instanceof AishError) || !FAILURES.has(thrown.code)) throw thrown;
      if (endpoint !== null) circuits.trip(endpoint);
    }
  }
  if (failure !== null) throw failure;
  // Each model was known to fail or was held back, so the first one is asked after all.
  return ask(record, first);
}

/** False if the conversation would leave this network without permission; aish says so, and what would leave. */
function mayMove(home: ModelEndpoint | null, next: ModelEndpoint | null, { state, record }: RequestContext): boolean {
  const isLeaving = next !== null && !isNearAddress(next.baseUrl) && (home === null || isNearAddress(home.baseUrl));
  if (!isLeaving || state().settings.cloud === true) return true;
  record(notice(formatHeldBack(next.name, new URL(next.baseUrl).hostname, heldContent(state()))));
  return false;
}

function notice(text: string): SessionEvent {
  return { type: 'notice', level: 'warning', text };
}

const DELTAS: ReadonlySet<string> = new Set(['text.delta', 'reasoning.delta', 'tool-call.delta']);

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
