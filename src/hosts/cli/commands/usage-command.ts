import { readLog } from '../../../adapters/store/event-log.ts';
import { findLogs } from '../../../adapters/store/sessions.ts';
import { groupBy, priceOf, type Spending, type Step, stepsOf, sumUp } from '../../../core/accounting/spending.ts';
import { readArgs } from '../../../core/command-line/subcommand-args.ts';
import type { ContextFill, FillPart } from '../../../core/context/compaction.ts';
import { formatTokens } from '../../../core/session/context-state.ts';
import { formatFacts } from '../../../core/terminal/table.ts';
import { type Style, styled, type Theme } from '../../../core/terminal/theme.ts';
import { wrapText } from '../../../core/terminal/wrap.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import type { Recorded } from '../../../protocol/event.ts';
import { toSafeJson } from '../../../protocol/json.ts';
import { outputColumns } from '../setup/output-terminal.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';
import { formatSentFact } from './messages-extend.ts';

/* `:context` and `:cost`: the tokens of the next request, and those of the requests so far with their price. */

const DAY_MS = 86_400_000;
const DAYS = 7;

interface CostContext {
  readonly setup: Pick<Setup, 'loaded' | 'paths'>;
  readonly recorded: readonly Recorded[];
  readonly now: number;
  readonly columns: number;
}

/** `:cost`: the last turn, the session by model, and today over all sessions. */
export function showCost({ setup, recorded, now, columns }: CostContext): string {
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
  return formatRows(rows, columns);
}

/** `aish cost`: the last days, by day and model. */
export function runCost(
  args: readonly string[],
  setup: Pick<Setup, 'loaded' | 'paths'>,
  now: number,
  columns = outputColumns() ?? Number.POSITIVE_INFINITY,
): string {
  const { options } = readArgs('cost', args);
  const days = options.number('--days') ?? DAYS;
  const steps = stepsSince(setup, startOfDay(now) - (days - 1) * DAY_MS);
  const groups = [...groupBy(steps, ({ at, model }) => `${toDay(at)} ${model}`)].sort(([a], [b]) => (a < b ? 1 : -1));
  if (options.get('--output') === 'json') return toSafeJson(groups.map(([, some]) => toJson(some)));
  if (steps.length === 0) return messages.formatNoCost(days);
  const rows = groups.map(([key, some]) => [sanitizeLine(key), some] as const);
  return formatRows([...rows, [messages.COST_ALL, steps]], columns);
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

function formatRows(rows: readonly (readonly [string, readonly Step[]])[], columns: number): string {
  const sums = rows.map(([name, steps]) => [name, sumUp(steps)] as const);
  const cells = sums.map(([name, sum]) => [name, ...toCells(sum)]);
  const table = formatFacts(messages.COST_HEAD, cells, columns);
  const isUnknown = sums.some(([, { unpriced }]) => unpriced > 0);
  return wrapText([table, '', isUnknown ? messages.COST_UNKNOWN : messages.COST_PRICES].join('\n'), columns);
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

/** The dependencies of `:context`. */
interface ContextView {
  readonly live: Pick<LiveSession, 'measureContext' | 'notes'>;
  readonly columns: number;
  readonly theme: Theme;
}

/** Columns of the longest bar, and the least that one is worth drawing with. */
const LONGEST_BAR = 40;
const SHORTEST_BAR = 8;

/** `:context`: the parts of the next request with bars, and the limit at which aish compacts. */
export async function showContext({ live, columns, theme }: ContextView): Promise<string> {
  const fill = await live.measureContext();
  const notes = live.notes.shares.map(({ path, share, isWhole }) => (isWhole ? path : `${path} (${share})`));
  return [...formatHead(fill), ...formatParts(fill, columns, theme), ...formatFoot(fill, notes)].join('\n');
}

function formatHead({ tokens, window }: ContextFill): string[] {
  if (window === null) return [messages.formatUsed(formatTokens(tokens)), messages.WINDOW_UNKNOWN];
  const share = Math.round((tokens / window.tokens) * 100);
  const name = sanitizeLine(window.model);
  return [messages.formatUsedShare(formatTokens(tokens), share, formatTokens(window.tokens), name, window.origin)];
}

function formatParts({ parts, limits, tokens }: ContextFill, columns: number, theme: Theme): string[] {
  const whole = limits?.window ?? Math.max(1, tokens);
  const left = limits === null ? 0 : Math.max(0, limits.window - tokens - limits.reserve);
  const rows: readonly (FillPart & { readonly style: Style })[] = [
    ...parts.map((part) => ({ ...part, style: 'command' as const })),
    ...(limits === null ? [] : [{ name: messages.ANSWER_SHARE, tokens: limits.reserve, style: 'warning' as const }]),
    ...(limits === null ? [] : [{ name: messages.FREE_SHARE, tokens: left, style: 'dim' as const }]),
  ];
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const countWidth = Math.max(...rows.map((row) => formatTokens(row.tokens).length));
  const barWidth = Math.min(LONGEST_BAR, columns - nameWidth - countWidth - 12);
  return rows.map(({ name, tokens: count, style }) => {
    const share = count / whole;
    const bar = barWidth < SHORTEST_BAR ? '' : `  ${styled(theme, style, drawBar(share, barWidth))}`;
    return `  ${name.padEnd(nameWidth)}  ${formatTokens(count).padStart(countWidth)}  ${formatShare(share)}${bar}`;
  });
}

function formatShare(share: number): string {
  const percent = share * 100;
  return `${percent > 0 && percent < 1 ? '<1' : Math.round(percent)} %`.padStart(5);
}

function drawBar(share: number, width: number): string {
  const filled = Math.max(share > 0 ? 1 : 0, Math.min(width, Math.round(share * width)));
  return '█'.repeat(filled);
}

function formatFoot(fill: ContextFill, notes: readonly string[]): string[] {
  const { limits, compactAt, covered, entries, wouldCover, memory } = fill;
  const summary = covered === 0 ? [] : [messages.formatCovered(covered)];
  const read = [
    ...(notes.length === 0 ? [] : [messages.formatNotes(notes.map(sanitizeLine))]),
    ...memory.map(({ id, text }) => sanitizeLine(formatSentFact(id, text))),
  ];
  const when =
    limits === null || compactAt === 0
      ? messages.COMPACTS_ON_REFUSAL
      : messages.formatCompactsAt(formatTokens(limits.most), formatTokens(limits.target));
  const cut =
    wouldCover === null || wouldCover <= covered
      ? []
      : [messages.formatWouldCover(wouldCover - covered, entries - covered)];
  return [...summary, ...read, when, ...cut];
}
