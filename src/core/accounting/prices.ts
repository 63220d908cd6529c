import { omitUndefined } from '../../protocol/json.ts';

/** Prices of a model in US dollars for a million tokens. */
export interface Price {
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
