import { readLog } from '../../../adapters/store/event-log.ts';
import { findLogs } from '../../../adapters/store/sessions.ts';
import { groupBy, priceOf, type Spending, type Step, stepsOf, sumUp } from '../../../core/accounting/spending.ts';
import { readArgs } from '../../../core/command-line/subcommand-args.ts';
import { formatTokens } from '../../../core/session/context-state.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { Recorded } from '../../../protocol/event.ts';
import { toSafeJson } from '../../../protocol/json.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';

const DAY_MS = 86_400_000;
const DAYS = 7;

interface CostContext {
  readonly setup: Pick<Setup, 'loaded' | 'paths'>;
  readonly recorded: readonly Recorded[];
  readonly now: number;
}

/** `:cost`: the last turn, the session by model, and today over all sessions. */
export function showCost({ setup, recorded, now }: CostContext): string {
  const steps = stepsOf(recorded, priceOf(setup.loaded.config.models));
  const last = steps.filter(({ turn }) => turn === steps.at(-1)?.turn);
  const today = stepsSince(setup, startOfDay(now));
  const byModel = [...groupBy(steps, ({ model }) => model)];
  const rows: (readonly [string, readonly Step[]])[] = [
    [messages.COST_LAST_TURN, last],
    [messages.COST_SESSION, steps],
    ...(byModel.length < 2 ? [] : byModel.map(([model, some]) => [`  ${sanitizeLine(model)}`, some] as const)),
    [messages.COST_TODAY, today],
  ];
  return formatRows(rows);
}

/** `aish cost`: the last days, by day and model. */
export function runCost(args: readonly string[], setup: Pick<Setup, 'loaded' | 'paths'>, now: number): string {
  const { options } = readArgs('cost', args);
  const days = options.number('--days') ?? DAYS;
  const steps = stepsSince(setup, startOfDay(now) - (days - 1) * DAY_MS);
  const groups = [...groupBy(steps, ({ at, model }) => `${toDay(at)} ${model}`)].sort(([a], [b]) => (a < b ? 1 : -1));
  if (options.get('--output') === 'json') return toSafeJson(groups.map(([, some]) => toJson(some)));
  if (steps.length === 0) return messages.formatNoCost(days);
  const rows = groups.map(([key, some]) => [sanitizeLine(key), some] as const);
  return formatRows([...rows, [messages.COST_ALL, steps]]);
}

/** Steps of all sessions since a moment. Only the logs that were written since are read. */
function stepsSince(setup: Pick<Setup, 'loaded' | 'paths'>, since: number): readonly Step[] {
  const prices = priceOf(setup.loaded.config.models);
  return findLogs(setup.paths.state)
    .filter(({ stat }) => stat.mtimeMs >= since)
    .flatMap(({ path }) => stepsOf(readLog(path), prices))
    .filter(({ at }) => at >= since)
    .sort((one, other) => one.at - other.at);
}

function formatRows(rows: readonly (readonly [string, readonly Step[]])[]): string {
  const sums = rows.map(([name, steps]) => [name, sumUp(steps)] as const);
  const table = formatTable([messages.COST_HEAD, ...sums.map(([name, sum]) => [name, ...toCells(sum)])]);
  const isUnknown = sums.some(([, { unpriced }]) => unpriced > 0);
  return [table, '', isUnknown ? messages.COST_UNKNOWN : messages.COST_PRICES].join('\n');
}

function toCells(sum: Spending): readonly string[] {
  return [
    String(sum.requests),
    formatTokens(sum.promptTokens),
    formatTokens(sum.cachedTokens),
    formatTokens(sum.completionTokens),
    sum.tokensPerSecond === null ? '-' : sum.tokensPerSecond.toFixed(1),
    sum.firstMs === null ? '-' : messages.formatSeconds(sum.firstMs),
    messages.formatUsd(sum.usd, sum.unpriced),
  ];
}

function toJson(steps: readonly Step[]): object {
  const [first] = steps;
  const sum = sumUp(steps);
  return {
    day: toDay(first?.at ?? 0),
    model: first?.model ?? '',
    requests: sum.requests,
    prompt_tokens: sum.promptTokens,
    cached_tokens: sum.cachedTokens,
    completion_tokens: sum.completionTokens,
    tokens_per_second: sum.tokensPerSecond,
    first_token_ms: sum.firstMs,
    usd: sum.usd,
    unpriced_requests: sum.unpriced,
  };
}

/** The beginning of the user's day. */
function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

function toDay(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
