import type { EventOf, Recorded, SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';

/** One answer of a model, as the log of a session has it. */
export interface Step {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly turn: number;
  /** The name of the model in the configuration, or of the server that aish found. */
  readonly model: string;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Milliseconds to the first piece of the answer, and to its end. */
  readonly firstMs: number | null;
  readonly totalMs: number | null;
  /** US dollars; null for a model without a known price. */
  readonly usd: number | null;
}

/** The sum over some steps. */
export interface Spending {
  readonly requests: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** Tokens of an answer per second; null if no step was timed. */
  readonly tokensPerSecond: number | null;
  /** The mean of the times to the first piece of an answer. */
  readonly firstMs: number | null;
  /** The known costs. */
  readonly usd: number;
  /** Requests whose price is unknown. */
  readonly unpriced: number;
}

/** The price of a model: by its name for aish, its name on the server, and the host of the server. */
type PriceOf = (model: string, served: string | null, host: string) => Price | null;

/** The event of an explorer without its envelope; any other event as it is. */
export function unwrapEvent(event: SessionEvent): SessionEvent {
  return event.type === 'explorer.event' ? event.event : event;
}

/** The steps of a session, from its log. */
export function stepsOf(recorded: Iterable<Recorded>, priceOf: PriceOf): readonly Step[] {
  const steps: Step[] = [];
  let turn = 0;
  let served: string | null = null;
  let host = '';
  for (const { at, event: outer } of recorded) {
    const event = unwrapEvent(outer);
    if (outer.type === 'turn.started') turn = outer.turn;
    if (event.type === 'request.prefixed') {
      served = event.prefix.model;
      host = event.prefix.host;
    }
    if (!isStep(event)) continue;
    const { model, usage } = event;
    const { promptTokens = 0, completionTokens = 0, cachedTokens = 0 } = usage ?? {};
    const tokens = { promptTokens, completionTokens, cachedTokens };
    const price = event.type === 'request.counted' ? priceOf(model, event.served, event.host) : priceOf(model, served, host);
    const { firstMs = null, totalMs = null } = event.type === 'step.completed' ? (event.timing ?? {}) : {};
    const usd = price === null ? null : costOf(tokens, price);
    steps.push({ at, turn, model, ...tokens, firstMs, totalMs, usd });
  }
  return steps;
}

/** True for an event with the tokens of requests. */
function isStep(event: SessionEvent): event is EventOf<(typeof STEPS)[number]> {
  return STEPS.some((type) => type === event.type);
}

const STEPS = ['step.completed', 'request.counted', 'tool-call.sampled', 'session.summarized'] as const;

function costOf(tokens: Pick<Step, 'promptTokens' | 'cachedTokens' | 'completionTokens'>, price: Price): number {
  const cached = Math.min(tokens.cachedTokens, tokens.promptTokens);
  const input = (tokens.promptTokens - cached) * price.input + cached * (price.cached ?? price.input);
  return (input + tokens.completionTokens * price.output) / 1_000_000;
}

/** Adds steps up. */
export function sumUp(steps: readonly Step[]): Spending {
  const sum = (of: (step: Step) => number): number => steps.reduce((all, step) => all + of(step), 0);
  const timed = steps.filter(({ firstMs, totalMs }) => firstMs !== null && totalMs !== null && totalMs > firstMs);
  const seconds = timed.reduce((all, { firstMs, totalMs }) => all + ((totalMs ?? 0) - (firstMs ?? 0)) / 1000, 0);
  const firsts = steps.flatMap(({ firstMs }) => (firstMs === null ? [] : [firstMs]));
  const written = timed.reduce((all, { completionTokens }) => all + completionTokens, 0);
  return {
    requests: steps.length,
    promptTokens: sum((step) => step.promptTokens),
    cachedTokens: sum((step) => step.cachedTokens),
    completionTokens: sum((step) => step.completionTokens),
    tokensPerSecond: seconds === 0 ? null : written / seconds,
    firstMs: firsts.length === 0 ? null : firsts.reduce((all, one) => all + one, 0) / firsts.length,
    usd: sum((step) => step.usd ?? 0),
    unpriced: steps.filter(({ usd }) => usd === null).length,
  };
}

/** Groups steps by a key, in the order in which the keys first come. */
export function groupBy(steps: readonly Step[], key: (step: Step) => string): ReadonlyMap<string, readonly Step[]> {
  const groups = new Map<string, Step[]>();
  for (const step of steps) groups.set(key(step), [...(groups.get(key(step)) ?? []), step]);
  return groups;
}

/** Prices of a model in US dollars for a million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
  /** Input tokens that the server had cached; as `input` if absent. */
  readonly cached?: number;
}

/** The month of the list prices below. Providers change their prices, and a configured price replaces a row. */
export const PRICES_OF = 'October 2026';

/** List prices by the server's name for the model; a date behind the name does not matter. */
const PRICES: Readonly<Record<string, Price>> = {
  'claude-fable-5': { input: 10, output: 50, cached: 1 },
  'claude-opus-5-5': { input: 4, output: 20, cached: 0.2 },
  'claude-opus-5': { input: 5, output: 25, cached: 0.5 },
  'claude-opus-4-8': { input: 5, output: 25, cached: 0.5 },
  'claude-opus-4-7': { input: 5, output: 25, cached: 0.5 },
  'claude-opus-4-6': { input: 5, output: 25, cached: 0.5 },
  'claude-opus-4-5': { input: 5, output: 25, cached: 0.5 },
  'claude-opus-4-1': { input: 15, output: 75, cached: 1.5 },
  'claude-sonnet-5-5': { input: 2, output: 10, cached: 0.1 },
  'claude-sonnet-5': { input: 2, output: 10, cached: 0.2 },
  'claude-sonnet-4-6': { input: 3, output: 15, cached: 0.3 },
  'claude-sonnet-4-5': { input: 3, output: 15, cached: 0.3 },
  'claude-sonnet-4': { input: 3, output: 15, cached: 0.3 },
  'claude-haiku-4-5': { input: 1, output: 5, cached: 0.1 },
  'gpt-5.4': { input: 2.5, output: 15, cached: 0.25 },
  'gpt-5.4-mini': { input: 0.75, output: 4.5, cached: 0.075 },
  'gpt-5.4-nano': { input: 0.2, output: 1.25, cached: 0.02 },
  'gpt-5.2': { input: 1.75, output: 14, cached: 0.175 },
  'gpt-5.1': { input: 1.25, output: 10, cached: 0.125 },
  'gpt-5': { input: 1.25, output: 10, cached: 0.125 },
  'gpt-5-mini': { input: 0.25, output: 2, cached: 0.025 },
  'gpt-4.1': { input: 2, output: 8, cached: 0.5 },
  'gpt-4.1-mini': { input: 0.4, output: 1.6, cached: 0.1 },
  'gpt-4o': { input: 2.5, output: 10, cached: 1.25 },
  'gpt-4o-mini': { input: 0.15, output: 0.6, cached: 0.075 },
  // Prompts of more than 200,000 tokens cost more. The list has no price for cached input of Gemini.
  'gemini-2.5-pro': { input: 1.25, output: 10 },
  'gemini-2.5-flash': { input: 0.3, output: 2.5 },
};

const LOCAL: Price = { input: 0, output: 0 };

/** True for a host of this machine or of the local network, by its name alone. */
function isLocalHost(host: string): boolean {
  return /^(?:localhost|.*\.local(?:host)?|\[?::1\]?|127\..*|10\..*|192\.168\..*|172\.(?:1[6-9]|2\d|3[01])\..*|[^.:]+)$/i.test(host);
}

/** Configured prices of a model. */
interface PriceConfig {
  readonly price_input?: number | undefined;
  readonly price_output?: number | undefined;
  readonly price_cached?: number | undefined;
}

/** The prices of models: the configured one first, then the list. */
export function priceOf(
  models: Readonly<Record<string, PriceConfig>>,
): (model: string, served: string | null, host: string) => Price | null {
  return (model, served, host) => {
    const own = Object.hasOwn(models, model) ? models[model] : undefined;
    if (own?.price_input === undefined || own.price_output === undefined) return listPrice(served, host);
    return { input: own.price_input, output: own.price_output, ...omitUndefined({ cached: own.price_cached }) };
  };
}

/** The list price of a model; null if it is unknown. A model on the local network costs nothing. */
export function listPrice(model: string | null, host: string): Price | null {
  if (isLocalHost(host)) return LOCAL;
  const name = (model ?? '').replace(/^.*\//, '').replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, '');
  return Object.hasOwn(PRICES, name) ? (PRICES[name] ?? null) : null;
}
