import type { Recorded } from '../../protocol/event.ts';
import type { Price } from './prices.ts';

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
export type PriceOf = (model: string, served: string | null, host: string) => Price | null;

/** The steps of a session, from its log. */
export function stepsOf(recorded: Iterable<Recorded>, priceOf: PriceOf): readonly Step[] {
  const steps: Step[] = [];
  let turn = 0;
  let served: string | null = null;
  let host = '';
  for (const { at, event } of recorded) {
    if (event.type === 'turn.started') turn = event.turn;
    if (event.type === 'request.prefixed') {
      served = event.prefix.model;
      host = event.prefix.host;
    }
    if (event.type !== 'step.completed') continue;
    const { promptTokens = 0, completionTokens = 0, cachedTokens = 0 } = event.usage ?? {};
    const tokens = { promptTokens, completionTokens, cachedTokens };
    const price = priceOf(event.model, served, host);
    const { firstMs = null, totalMs = null } = event.timing ?? {};
    const usd = price === null ? null : costOf(tokens, price);
    steps.push({ at, turn, model: event.model, ...tokens, firstMs, totalMs, usd });
  }
  return steps;
}

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
