import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { withTimeout } from '../../adapters/system/patience.ts';
import {
  type CompactionPlan,
  type ContextFill,
  estimateEntry,
  measureFill,
  planCompaction,
} from '../../core/context/compaction.ts';
import { COMPACT_AT, estimateRequest, estimateTokens, shareOut } from '../../core/context/estimate.ts';
import { fittedEntries, resumedMessage } from '../../core/context/request-messages.ts';
import { formatDigest, toSummaryBehind, toSummaryRequest } from '../../core/context/summary-request.ts';
import { withoutProposals } from '../../core/memory/facts.ts';
import { type Freed, formatTokens, freedNothing, isInVain, MOST_FRUITLESS } from '../../core/session/context-state.ts';
import { currentModel, type Entry, type SessionState } from '../../core/session/state.ts';
import { truncateMiddle } from '../../core/text/truncate.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { Compaction, CompactionReason, ContextWindow, ModelRequest, RequestDelay } from '../../protocol/model.ts';
import { countRequest } from '../requests/model-endpoints.ts';
import { type ComposeDeps, composeRequest, type Offer } from '../requests/session-request.ts';
import type { EffectContext, EffectOf, ModelDeps } from './effect-context.ts';
import { COMPACTION_PAUSED, formatNoSummary, nothingToFree } from './messages.ts';
import { windowFor } from './watch-context.ts';

/** A summary that takes longer is done without. */
const LONGEST_SUMMARY_MS = 180_000;

/** The most that a compaction by hand leaves if the window is unknown. */
const TARGET_UNKNOWN = 6000;

/** Most characters that are sent to be summarised where nothing is known of the window. */
const ROOM_UNKNOWN = 48_000;

/** The sizes for a compaction, all in tokens. */
interface Sizes {
  readonly before: number;
  readonly most: number;
  readonly target: number;
  readonly utmost: number;
  /** The part that every request sends. */
  readonly fixed: number;
  /** For the summary, and as much again for the texts kept beside it. */
  readonly summary: number;
  readonly correction: number;
}

/**
 * Makes the conversation shorter. A model summarises the part taken out; if no model can, the words and calls stay without their output.
 * Until it is done the conversation is unchanged, so an interrupt loses nothing.
 */
export async function compact(
  { pending }: EffectOf<'compact'>,
  context: EffectContext,
  deps: ModelDeps,
): Promise<void> {
  const state = context.state();
  const endpoint = await deps.endpoint(currentModel(state));
  const offered = await deps.toolbox.list(context.signal, state.context.window?.tokens ?? null);
  const count = counter(endpoint, offered, deps);
  const { sizes, plan } = planNow(
    state,
    pending.reason,
    windowFor(state, endpoint),
    count,
    deps.windows.correction(endpoint),
  );
  if (context.signal.aborted) return;
  if (plan === null) return recordNothingFreed(context, sizes.before);
  const whole = composeRequest(state, endpoint, offered, deps);
  const written = await summarise(plan, state, endpoint, sizes, context, deps, pending.focus, whole);
  if (context.signal.aborted) return;
  const compaction = toCompaction(plan, state, sizes, written);
  const after = count({ ...state, context: { ...state.context, compacted: compaction } });
  const growth = pending.reason === 'threshold' ? turnSize(state.entries) * sizes.correction : 0;
  record(context, compaction, { ...sizes, after, growth }, written?.model);
}

/** Counts the tokens of the request that a state makes, as the server counts them as far as that is known. */
export function counter(
  endpoint: ModelEndpoint,
  offered: Offer,
  deps: ComposeDeps & Pick<ModelDeps, 'windows'>,
): (state: SessionState) => number {
  const correction = deps.windows.correction(endpoint);
  return (state) => estimateRequest(composeRequest(state, endpoint, offered, deps)) * correction;
}

function planNow(
  state: SessionState,
  reason: CompactionReason,
  window: ContextWindow | null,
  count: (state: SessionState) => number,
  correction: number,
): { readonly sizes: Sizes; readonly plan: CompactionPlan | null } {
  const sizes = toSizes(state, window, count, correction);
  const entries = fittedEntries(state.entries, state.context.compacted);
  const covered = state.context.compacted?.upTo ?? 0;
  const shown = entries.slice(covered).reduce((sum, entry) => sum + estimateEntry(entry) * correction, 0);
  const plan = planCompaction({
    entries,
    covered,
    isTurnRunning: state.turn !== null,
    reason,
    budget: roomWithin(sizes.target, sizes, state),
    utmost: roomWithin(sizes.utmost, sizes, state),
    around: sizes.before - shown,
    whole: sizes.utmost,
    correction,
  });
  return { sizes, plan };
}

function toSizes(
  state: SessionState,
  window: ContextWindow | null,
  count: (state: SessionState) => number,
  correction: number,
): Sizes {
  const { overflows, pending } = state.context;
  const limits = window === null ? null : shareOut(window.tokens, COMPACT_AT);
  const narrower = pending?.reason === 'overflow' ? Math.max(1, overflows) : 1;
  const target = (limits?.target ?? TARGET_UNKNOWN) / narrower;
  const utmost = (limits === null ? TARGET_UNKNOWN : limits.most * 0.9) / narrower;
  return {
    before: count(state),
    most: limits?.most ?? Number.POSITIVE_INFINITY,
    target,
    utmost,
    fixed: count({ ...state, entries: [], context: { ...state.context, compacted: null } }),
    summary: Math.min(1500, Math.max(120, Math.floor(target / 8))),
    correction,
  };
}

/** The room left for all entries within so many tokens. */
function roomWithin(tokens: number, { fixed, summary }: Sizes, state: SessionState): number {
  return Math.max(64, tokens - fixed - 2 * summary - resumedSize(state));
}

/** The running turn's message is sent again where its beginning is taken out. */
function resumedSize({ turn, entries }: SessionState): number {
  const message = resumedMessage(entries, entries.length, turn !== null, null);
  return message === null ? 0 : estimateEntry(message);
}

/**
 * The size of the entries since the message before the newest one: the estimate for the next turn. Within a turn it counts since its last
 * answer.
 */
function turnSize(entries: readonly Entry[]): number {
  const isNew = entries.at(-1)?.type === 'user';
  const since = entries.slice(0, -1).findLastIndex(({ type }) => type === (isNew ? 'user' : 'assistant'));
  return entries.slice(since + 1).reduce((sum, entry) => sum + estimateEntry(entry), 0);
}

function toCompaction(
  { upTo, room, before }: CompactionPlan,
  state: SessionState,
  { summary }: Sizes,
  written: { readonly text: string } | null,
): Compaction {
  const { touched, compacted } = state.context;
  // The part that an earlier summary covers is not repeated if nothing more is taken out.
  const isSame = upTo === (compacted?.upTo ?? 0);
  const budget = summary * 3 * (written === null ? 2 : 1);
  const kept = isSame
    ? (compacted?.kept ?? '')
    : formatDigest(state.entries.slice(0, upTo), { touched, budget, isAlone: written === null });
  return {
    upTo,
    summary: isSame ? (compacted?.summary ?? '') : (written?.text ?? ''),
    kept,
    ...narrower(compacted, before, room),
  };
}

/** Texts that were cut once stay cut, or they would be sent in full again. */
function narrower(
  compacted: Compaction | null,
  before: number,
  room: number | null,
): Pick<Compaction, 'before' | 'room'> {
  if (room === null) return { before: compacted?.before ?? before, room: compacted?.room ?? null };
  return {
    before: Math.max(before, compacted?.room === undefined || compacted.room === null ? 0 : compacted.before),
    room: Math.min(room, compacted?.room ?? room),
  };
}

function record(context: EffectContext, compaction: Compaction, freed: Freed, model: string | undefined): void {
  const { before, after } = freed;
  // A conversation that stays as long is not worth a word of it.
  if (freedNothing(before, after)) {
    recordNothingFreed(context, before, after);
    return;
  }
  const isFruitless = isInVain(context.state().context, freed);
  const compacted: SessionEvent = {
    type: 'context.compacted',
    compaction,
    tokensBefore: Math.round(before),
    tokensAfter: Math.round(after),
    ...(isFruitless ? { isFruitless } : {}),
    ...omitUndefined({ model }),
  };
  context.record(compacted, ...(isFruitless ? givingUp(context.state()) : []));
}

function recordNothingFreed(context: EffectContext, before: number, after = before): void {
  const error = nothingToFree(formatTokens(before), after !== before);
  context.record({ type: 'compaction.failed', error, isFruitless: true }, ...givingUp(context.state()));
}

/** Said once, with what stops it. */
function givingUp({ context: { fruitless } }: SessionState): SessionEvent[] {
  if (fruitless + 1 !== MOST_FRUITLESS) return [];
  return [{ type: 'notice', level: 'warning', text: COMPACTION_PAUSED }];
}

/** A model's summary of the part taken out; null if no model can write it. */
async function summarise(
  { upTo }: CompactionPlan,
  state: SessionState,
  own: ModelEndpoint,
  sizes: Sizes,
  context: EffectContext,
  deps: ModelDeps,
  focus: string | undefined,
  whole: ModelRequest,
): Promise<{ readonly text: string; readonly model: string } | null> {
  const { compacted } = state.context;
  const window = windowFor(state, own);
  if (upTo === (compacted?.upTo ?? 0)) return null;
  const words = Math.max(60, Math.floor(sizes.summary / 2));
  const request = toSummaryRequest({
    entries: state.entries.slice(compacted?.upTo ?? 0, upTo),
    before: compacted === null ? '' : [compacted.summary, compacted.kept].filter((part) => part !== '').join('\n'),
    focus,
    room: window === null ? ROOM_UNKNOWN : Math.floor(Math.max(400, window.tokens * 0.6 - 2 * sizes.summary) * 2.5),
    words,
  });
  const behind = fitsBehind(sizes, state, window) ? toSummaryBehind(whole, { focus, words }) : null;
  for (const endpoint of await summarisers(own, deps)) {
    const cached =
      endpoint === own && behind !== null ? await ask(endpoint, behind, context, deps, { isFirst: true }) : null;
    const text = cached ?? (context.signal.aborted ? '' : ((await ask(endpoint, request, context, deps)) ?? ''));
    if (context.signal.aborted) return null;
    if (text === '') continue;
    context.record(...(await deps.memory.propose(deps.secrets.redact(text), state)));
    return { text: cutToTokens(withoutProposals(text), sizes.summary), model: endpoint.name };
  }
  return null;
}

/** Tokens of the instructions for a summary. */
const INSTRUCTIONS = 300;

/** Whether the whole conversation, the instructions and a summary fit into the window together. A refused request does not fit. */
function fitsBehind({ before, summary }: Sizes, { context }: SessionState, window: ContextWindow | null): boolean {
  if (window === null || context.pending?.reason === 'overflow') return false;
  return before + INSTRUCTIONS + summary <= window.tokens;
}

/** A summary that is longer than it was to be, cut to its share; in some scripts a character is a token. */
function cutToTokens(text: string, tokens: number): string {
  const estimated = estimateTokens(text);
  return estimated <= tokens ? text : truncateMiddle(text, Math.floor((text.length * tokens) / estimated));
}

/** The model for small work first, then the session's own. */
async function summarisers(own: ModelEndpoint, { fastModel, endpoint }: ModelDeps): Promise<readonly ModelEndpoint[]> {
  if (fastModel === null || fastModel === own.name) return [own];
  // An unavailable model, such as one without its key, must not keep the session from going on.
  const fast = await endpoint(fastModel).catch(() => null);
  return fast === null ? [own] : [fast, own];
}

/** The model's text; null if it failed, or called a tool: there is a way without it. */
async function ask(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  { signal, record, spend }: EffectContext,
  deps: ModelDeps,
  { isFirst = false }: { readonly isFirst?: boolean } = {},
): Promise<string | null> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_SUMMARY_MS)]);
  const told = {
    onBody: () => {},
    onLearned: () => {},
    onProgress: () => {},
    onDelay: (delay: RequestDelay) => record({ type: 'request.delayed', delay }),
  };
  try {
    const { text, toolCalls, usage } = await deps.complete(
      endpoint,
      deps.requestCover.cover(request),
      () => {},
      bounded,
      told,
    );
    if (usage !== undefined) spend(countRequest(endpoint, usage));
    return text.trim() === '' && toolCalls.length > 0 ? null : text.trim();
  } catch (thrown) {
    if (signal.aborted) return null;
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    // Another form of the request follows.
    if (!isFirst) record({ type: 'notice', level: 'warning', text: formatNoSummary(endpoint.name, why) });
    return null;
  }
}

/** Longest wait for what a server says of its window, and for servers that still start. */
const PATIENCE_MS = 1500;

/**
 * Measures the next request of a session. It requests the window from the server if that is unknown; a missing model hides nothing else.
 */
export async function measureContext(state: SessionState, deps: ModelDeps): Promise<ContextFill> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const endpoint = await deps.endpoint(currentModel(state)).catch(() => null);
  const offered = await deps.toolbox.list(signal, state.context.window?.tokens ?? null);
  deps.notes.look(state.context.window?.tokens ?? null);
  const shown = endpoint ?? {
    name: '',
    baseUrl: '',
    model: null,
    key: null,
    timeouts: { firstByteMs: 0, idleMs: 0, barrenMs: 0 },
  };
  if (endpoint !== null) await withTimeout(deps.windows.ask(endpoint), PATIENCE_MS);
  const correction = endpoint === null ? 1 : deps.windows.correction(endpoint);
  const window = (endpoint === null ? null : deps.windows.known(endpoint)) ?? windowFor(state, shown);
  const { plan } = planNow(state, 'user', window, counter(shown, offered, deps), correction);
  return measureFill({
    state,
    request: composeRequest(state, shown, offered, deps),
    notes: deps.notes.text?.length ?? 0,
    servers: offered.servers?.text.length ?? 0,
    memory: deps.memory.facts,
    window,
    compactAt: deps.compactAt,
    correction,
    wouldCover: plan === null ? null : plan.upTo,
  });
}
