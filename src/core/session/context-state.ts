import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { Compaction, CompactionReason, ContextWindow } from '../../protocol/model.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { COMPACTION_REASONS, formatCompacted } from './messages.ts';

/** A file, or what a tool changed, with the checkpoint that was taken before. */
export interface Touched {
  readonly what: string;
  readonly checkpoint: string | null;
}

/** A compaction that was begun. */
export interface PendingCompaction {
  readonly reason: CompactionReason;
  /** What the user wants kept above all. */
  readonly focus?: string;
}

/** What is known of how full the context is, and what was taken out of it. */
export interface ContextState {
  readonly window: ContextWindow | null;
  readonly compacted: Compaction | null;
  readonly pending: PendingCompaction | null;
  /** Compactions begun so far. */
  readonly begun: number;
  /** Entries there were when one was tried last, and tokens that it left of the request. */
  readonly triedAt: number;
  readonly leftTokens: number;
  /** Compactions in a row that freed nothing worth it. */
  readonly fruitless: number;
  /** Refusals of the present step's request as too long. */
  readonly overflows: number;
  /** What the model changed, oldest first. */
  readonly touched: readonly Touched[];
}

/** Nothing is known and nothing was taken out. */
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

/** So many in a row and no further one is begun without asking. */
export const MOST_FRUITLESS = 2;

/** A compaction that leaves more than this share of what was there has freed nothing. */
const FRUITLESS_SHARE = 0.9;

/** One that leaves less than this is worth it, however soon the next one comes. */
const FRUITFUL_SHARE = 0.75;

const MOST_TOUCHED = 200;

/** True once compaction gave up on freeing anything by itself, until a request holds a good deal more than the last one left. */
export function hasGivenUp({ fruitless, leftTokens }: ContextState, tokens: number): boolean {
  return fruitless >= MOST_FRUITLESS && leftTokens >= tokens * FRUITFUL_SHARE;
}

/** True where a compaction left the conversation about as long as it was. */
export function freedNothing(before: number, after: number): boolean {
  return after > before * FRUITLESS_SHARE;
}

/** What a compaction came to, in tokens. */
export interface Freed {
  readonly before: number;
  readonly after: number;
  /** From here on the next one is begun. */
  readonly most: number;
  /** What a turn adds, about. */
  readonly growth: number;
}

/**
 * True where a compaction freed too little to be worth another: the request is too long still, or the next turn
 * brings the next one for little. Who has given up once begins anew only where a turn has room again.
 */
export function isInVain({ fruitless }: ContextState, { before, after, most, growth }: Freed): boolean {
  const hasRoom = most - after >= growth;
  return after > most || (!hasRoom && (fruitless >= MOST_FRUITLESS || after > before * FRUITFUL_SHARE));
}

/** What is true of the context after an event. */
export function evolveContext(context: ContextState, event: SessionEvent): ContextState {
  switch (event.type) {
    case 'context.window':
      // There is other room than there was.
      return { ...context, window: event.window, fruitless: 0 };
    case 'compaction.started': {
      const { reason, focus } = event;
      const pending = focus === undefined ? { reason } : { reason, focus };
      const overflows = context.overflows + (reason === 'overflow' ? 1 : 0);
      return { ...context, pending, begun: context.begun + 1, triedAt: event.entries, leftTokens: event.tokens, overflows };
    }
    case 'context.compacted': {
      const fruitless = event.isFruitless === true ? context.fruitless + 1 : 0;
      return { ...context, pending: null, compacted: event.compaction, leftTokens: event.tokensAfter, fruitless };
    }
    case 'compaction.failed':
      return context.pending === null
        ? context
        : { ...context, pending: null, fruitless: context.fruitless + (event.isFruitless === true ? 1 : 0) };
    case 'turn.ended':
    case 'session.resumed':
      return context.pending === null && context.overflows === 0 ? context : { ...context, pending: null, overflows: 0 };
    case 'step.completed':
      return context.overflows === 0 ? context : { ...context, overflows: 0 };
    case 'settings.changed':
      return context.fruitless === 0 ? context : { ...context, fruitless: 0 };
    default:
      return context;
  }
}

/** Remembers what a call of the model changed. */
export function noteTouched(context: ContextState, call: ToolCall, path: string | undefined, checkpoint: string | null): ContextState {
  if (call.effect !== 'write') return context;
  const what = path ?? call.name;
  const last = context.touched.at(-1);
  if (last?.what === what && last.checkpoint === checkpoint) return context;
  return { ...context, touched: [...context.touched.slice(1 - MOST_TOUCHED), { what, checkpoint }] };
}

/*
 * How many characters of one text a window has room for, at about four characters a token. Each is a share of the window, so that a call,
 * its result and what was said before fit into a small one together; a large window is no reason to send all of a log.
 */

/** Most characters of one tool result when nothing is known of the window. */
const RESULT_ROOM = 16_000;
const MOST_RESULT_ROOM = 64_000;
/** Most characters of the output of one command when nothing is known. */
const OUTPUT_ROOM = 4000;
const MOST_OUTPUT_ROOM = 16_000;
const LEAST_ROOM = 400;

/** For one tool result: a quarter of the window. */
export function resultRoom(window: ContextWindow | null): number {
  return window === null ? RESULT_ROOM : between(window.tokens, LEAST_ROOM, MOST_RESULT_ROOM);
}

/** For the output of one command of the user: a sixteenth. */
export function outputRoom(window: ContextWindow | null): number {
  return window === null ? OUTPUT_ROOM : between(Math.ceil(window.tokens / 4), LEAST_ROOM, MOST_OUTPUT_ROOM);
}

/** For one attachment: half of the window; as it is where nothing is known. */
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
