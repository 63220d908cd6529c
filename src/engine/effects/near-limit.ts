import type { ModelEndpoint } from '../../adapters/model/models.ts';
import { estimateRequest, shareOut } from '../../core/context/estimate.ts';
import { ContextTooLongError } from '../../core/model/fault-kind.ts';
import { formatTokens } from '../../core/session/context-state.ts';
import { AishError } from '../../protocol/error.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import type { ContextDeps, EffectContext } from './effect-context.ts';
import { CONTEXT_FULL_HINT, formatFixedPart } from './messages.ts';
import { fixedPart, recordWindow, windowFor } from './watch-context.ts';

/** Refusals of one request that are answered with a compaction. */
const MOST_OVERFLOWS = 2;

/** From this share of a window on, the fixed part leaves no room for a conversation. */
const MOST_FIXED = 0.8;

/** A conversation with fewer tokens has nothing that a compaction could free. */
const LEAST_TO_FREE = 200;

/** An estimate within these shares of the limit may be on its wrong side. */
const DOUBTFUL = { from: 0.7, to: 1.5 } as const;

/** Corrects the estimate with an exact count of the server, if it has one and the estimate is near the limit. */
export async function countNearLimit(
  { state }: Pick<EffectContext, 'state'>,
  endpoint: ModelEndpoint,
  request: ModelRequest,
  { windows, compactAt }: ContextDeps,
  count: () => Promise<number | null>,
): Promise<void> {
  const window = windowFor(state(), endpoint);
  if (window === null) return;
  const estimated = estimateRequest(request);
  const share = (estimated * windows.correction(endpoint)) / shareOut(window.tokens, compactAt).most;
  const counted = share < DOUBTFUL.from || share > DOUBTFUL.to ? null : await count();
  if (counted !== null) windows.correct(endpoint, estimated, counted);
}

/** Begins a compaction where the server refused a request as too long, and learns from that how much fits; throws what it cannot answer. */
export function compactAfterRefusal(
  thrown: unknown,
  context: EffectContext,
  endpoint: ModelEndpoint,
  request: ModelRequest,
  { windows }: ContextDeps,
): void {
  if (!(thrown instanceof ContextTooLongError)) throw thrown;
  const state = context.state();
  const told = thrown.overflow;
  const estimated = estimateRequest(request);
  if (told.promptTokens !== undefined) windows.correct(endpoint, estimated, told.promptTokens);
  const tokens = told.promptTokens ?? estimated * windows.correction(endpoint);
  const known = windowFor(state, endpoint)?.tokens ?? Number.POSITIVE_INFINITY;
  // A refused request does not fit, whatever size was known before.
  const fits = told.windowTokens ?? Math.min(known, Math.floor(tokens * 0.9));
  const isGuess = told.windowTokens === undefined;
  const fixed = fixedPart(request) * windows.correction(endpoint);
  const isAlone = estimated - fixedPart(request) < LEAST_TO_FREE;
  if (state.context.overflows >= MOST_OVERFLOWS || fixed > fits || isAlone)
    throw tooLong(thrown, fixed, { fits, isGuess });
  if (fits !== known) recordWindow(context, windows.learn(endpoint, fits, { isGuess }));
  context.record({
    type: 'compaction.started',
    reason: 'overflow',
    entries: state.entries.length,
    tokens: Math.round(tokens),
  });
}

interface Room {
  readonly fits: number;
  /** The server did not say how much fits. */
  readonly isGuess: boolean;
}

function tooLong(thrown: AishError, fixed: number, { fits, isGuess }: Room): AishError {
  const isFixed = fixed > fits * MOST_FIXED;
  const hint = isFixed ? formatFixedPart(formatTokens(fixed), isGuess ? null : formatTokens(fits)) : CONTEXT_FULL_HINT;
  return new AishError(thrown.code, thrown.message, { hint, cause: thrown });
}
