import type { EventOf } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { Compaction, CompactionReason, ContextWindow } from '../../protocol/model.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import type { Handlers } from './handlers.ts';
import { COMPACTION_REASONS, formatCompacted } from './messages.ts';

/** A file or another change by a tool, with the checkpoint before it. */
export interface Touched {
  readonly what: string;
  readonly checkpoint: string | null;
}

/** A compaction that has started. */
export interface PendingCompaction {
  readonly reason: CompactionReason;
  /** The topic that the user wants to keep above all. */
  readonly focus?: string;
}

/** The fill level of the context window, and the compactions so far. */
export interface ContextState {
  readonly window: ContextWindow | null;
  readonly compacted: Compaction | null;
  readonly pending: PendingCompaction | null;
  /** Number of compactions started. */
  readonly begun: number;
  /** Number of entries at the last compaction, and the tokens of the request after it. */
  readonly triedAt: number;
  readonly leftTokens: number;
  /** Number of consecutive compactions that freed too little. */
  readonly fruitless: number;
  /** How often the server rejected the request of the current step as too long. */
  readonly overflows: number;
  /** Changes by the model, oldest first. */
  readonly touched: readonly Touched[];
}

/** The initial state. */
export const NO_CONTEXT: ContextState = {
  window: null,
  compacted: null,
  pending: null,
  begun: 0,
  triedAt: -1,
  leftTokens: 0,
  fruitless: 0,
  overflows: 0,
  touched: [],
};

/** After this many fruitless compactions in a row aish starts another one only on request. */
export const MOST_FRUITLESS = 2;

/** A compaction that leaves more than this share has freed nothing. */
const FRUITLESS_SHARE = 0.9;

/** A compaction that leaves less than this share was worth it, even if the next one comes soon. */
const FRUITFUL_SHARE = 0.75;

const MOST_TOUCHED = 200;

/** Whether automatic compaction has stopped, until a request is much longer than the last compaction left it. */
export function hasGivenUp({ fruitless, leftTokens }: ContextState, tokens: number): boolean {
  return fruitless >= MOST_FRUITLESS && leftTokens >= tokens * FRUITFUL_SHARE;
}

/** Whether a compaction left the conversation about as long as before. */
export function freedNothing(before: number, after: number): boolean {
  return after > before * FRUITLESS_SHARE;
}

/** The result of a compaction, in tokens. */
export interface Freed {
  readonly before: number;
  readonly after: number;
  /** The limit at which the next compaction starts. */
  readonly most: number;
  /** The typical growth per turn. */
  readonly growth: number;
}

/** Whether a compaction freed too little. After giving up, compaction resumes only if a turn has room again. */
export function isInVain({ fruitless }: ContextState, { before, after, most, growth }: Freed): boolean {
  const hasRoom = most - after >= growth;
  return after > most || (!hasRoom && (fruitless >= MOST_FRUITLESS || after > before * FRUITFUL_SHARE));
}

/** The handlers of the context state. */
export const CONTEXT_HANDLERS: Handlers<ContextState> = {
  // The window has another size.
  'context.window': (context, { window }) => ({ ...context, window, fruitless: 0 }),
  'compaction.started': (context, { reason, focus, entries, tokens }) => ({
    ...context,
    pending: { reason, ...omitUndefined({ focus }) },
    begun: context.begun + 1,
    triedAt: entries,
    leftTokens: tokens,
    overflows: context.overflows + (reason === 'overflow' ? 1 : 0),
  }),
  'context.compacted': (context, { compaction, tokensAfter, isFruitless }) => ({
    ...context,
    pending: null,
    compacted: compaction,
    leftTokens: tokensAfter,
    fruitless: isFruitless === true ? context.fruitless + 1 : 0,
  }),
  'compaction.failed': (context, { isFruitless }) =>
    context.pending === null ? context : { ...context, pending: null, fruitless: context.fruitless + (isFruitless === true ? 1 : 0) },
  'turn.ended': endCompaction,
  'session.resumed': endCompaction,
  'step.completed': (context) => (context.overflows === 0 ? context : { ...context, overflows: 0 }),
  'settings.changed': (context) => (context.fruitless === 0 ? context : { ...context, fruitless: 0 }),
};

function endCompaction(context: ContextState): ContextState {
  return context.pending === null && context.overflows === 0 ? context : { ...context, pending: null, overflows: 0 };
}

/** Records a change by a call of the model. */
export function noteTouched(context: ContextState, call: ToolCall, path: string | undefined, checkpoint: string | null): ContextState {
  if (call.effect !== 'write') return context;
  const what = path ?? call.name;
  const last = context.touched.at(-1);
  if (last?.what === what && last.checkpoint === checkpoint) return context;
  return { ...context, touched: [...context.touched.slice(1 - MOST_TOUCHED), { what, checkpoint }] };
}

/*
 * Maximum characters of one text for a window, at about four characters per token. Each is a share of the window, so that a call, its
 * result and the conversation before it fit into a small window together. A large window is no reason to send a whole log.
 */

/** Maximum characters of a tool result if the window is unknown. */
const RESULT_ROOM = 16_000;
const MOST_RESULT_ROOM = 64_000;
/** Maximum characters of a command's output if the window is unknown. */
const OUTPUT_ROOM = 4000;
const MOST_OUTPUT_ROOM = 16_000;
const LEAST_ROOM = 400;

/** The room for a tool result: a quarter of the window. */
export function resultRoom(window: ContextWindow | null): number {
  return window === null ? RESULT_ROOM : between(window.tokens, LEAST_ROOM, MOST_RESULT_ROOM);
}

/** The room for the output of a user command: a sixteenth of the window. */
export function outputRoom(window: ContextWindow | null): number {
  return window === null ? OUTPUT_ROOM : between(Math.ceil(window.tokens / 4), LEAST_ROOM, MOST_OUTPUT_ROOM);
}

/** The room for an attachment: half of the window; unlimited if the window is unknown. */
export function attachmentRoom(window: ContextWindow | null): number | null {
  return window === null ? null : Math.max(LEAST_ROOM, window.tokens * 2);
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** An event that a compaction report covers. */
export type CompactionEvent = EventOf<'compaction.started' | 'context.compacted' | 'compaction.failed'>;

/** The report of a compaction, in one line. */
export function formatCompaction(event: CompactionEvent): string {
  switch (event.type) {
    case 'compaction.started':
      return `compacting the conversation: ${COMPACTION_REASONS[event.reason]}`;
    case 'context.compacted': {
      const { compaction, tokensBefore, tokensAfter, model } = event;
      const method = { ...(model === undefined ? {} : { model }), keepsTexts: compaction.room === null };
      return formatCompacted(formatTokens(tokensBefore), formatTokens(tokensAfter), method);
    }
    case 'compaction.failed':
      return `not compacted: ${event.error.message}`;
  }
}

/** A number of tokens as users read it: `6,144`. */
export function formatTokens(tokens: number): string {
  return String(Math.round(tokens)).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}
