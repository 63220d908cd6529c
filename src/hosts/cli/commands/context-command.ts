import type { ContextFill, FillPart } from '../../../core/context/compaction.ts';
import { formatTokens } from '../../../core/session/context-state.ts';
import { type Style, styled, type Theme } from '../../../core/terminal/theme.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import * as messages from './messages.ts';
import { formatSentFact } from './messages-extend.ts';

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
