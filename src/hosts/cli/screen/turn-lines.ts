import * as limits from '../../../core/session/messages.ts';
import { MOST_SAME_FAILURES, MOST_SAME_RESULTS } from '../../../core/session/repeated-call.ts';
import { type AnswerGap, MOST_REFUSALS } from '../../../core/session/state.ts';
import type { ContractEvent } from '../../../protocol/contract.ts';
import { formatError } from '../../../protocol/error.ts';
import type { EventOf, TurnEnd } from '../../../protocol/event.ts';
import type { DelayReason, RequestDelay } from '../../../protocol/model.ts';
import { CHECKING, FINISHING, PAUSED, STEP_LIMIT_REACHED, THINKING } from './messages.ts';
import type { Style } from './theme.ts';

const ENDS: Readonly<Record<TurnEnd, string | null>> = {
  interrupted: 'interrupted',
  'depth-limit': limits.DEPTH_LIMIT_REACHED,
  'step-limit': STEP_LIMIT_REACHED,
  denied: limits.formatRefusalLimit(MOST_REFUSALS),
  'repeated-failure': limits.formatFailureLimit(MOST_SAME_FAILURES),
  'repeated-call': limits.formatRepetitionLimit(MOST_SAME_RESULTS),
  completed: null,
  failed: null,
  halted: null,
  budget: null,
  contract: null,
};

const OTHERWISE = 'Ask in other words, or choose another model with :model.';

function formatGap(gap: AnswerGap, tokens: number | undefined): string {
  const count = tokens === undefined ? '' : ` (${tokens} tokens)`;
  return {
    empty: 'The model sent an empty answer. Ask again, or choose another model with :model.',
    'reasoning-only': 'The model sent its reasoning and no answer. Ask again, or ask for a short answer.',
    'token-limit': `The answer was cut off at the token limit${count}. Ask the model to continue, or raise the limit of the server.`,
    refused: `The model refused to answer. ${OTHERWISE}`,
    filtered: `The provider's content filter stopped the answer. ${OTHERWISE}`,
  }[gap];
}

/** The line for the end of a turn; null if it needs none. The last answer has this gap, and so many tokens. */
export function formatTurnEnd(
  { reason, error }: EventOf<'turn.ended'>,
  gap: AnswerGap | null,
  tokens?: number,
): string | null {
  if (error !== undefined) return formatError(error);
  return reason === 'completed' && gap !== null ? formatGap(gap, tokens) : ENDS[reason];
}

const DELAYS: Readonly<Record<DelayReason, string>> = {
  loading: 'is loading its model',
  'rate-limited': 'is rate-limiting requests',
  overloaded: 'is overloaded',
  unavailable: 'is not available at the moment',
  'timed-out': 'gave up waiting for the request',
  'server-error': 'reports an error',
  'connection-lost': 'closed the connection without a response',
  'connection-refused': 'does not accept connections yet',
};

/** Why a request waits: `cloud is overloaded (1 of 4): Too many requests`. */
function formatReason({ reason, model, attempt, of, said }: RequestDelay): string {
  const which = of === null || of === 1 ? '' : ` (${attempt} of ${of})`;
  const why = said === '' || reason === 'loading' ? '' : `: ${said.replace(/[.;:, ]+$/, '')}`;
  return `${model} ${DELAYS[reason]}${which}${why}`;
}

/** The reason, and when aish tries again. A model that loads has no such time. */
export function formatDelay(delay: RequestDelay, leftMs: number): string {
  if (delay.reason === 'loading') return formatReason(delay);
  const time = leftMs <= 0 ? 'aish tries again' : `aish tries again in ${Math.ceil(leftMs / 1000)} s`;
  return `${formatReason(delay)}; ${time}`;
}

/** Whether the autonomous run is paused after an event of it. */
export function isPausedAfter({ type }: ContractEvent, wasPaused: boolean): boolean {
  if (type === 'contract.paused') return true;
  return type === 'contract.continued' || type === 'contract.ended' ? false : wasPaused;
}

/** The text of the clock after an event of a run; null for none. */
export function statusAfter(event: ContractEvent, isPaused: boolean): string | null {
  if (event.type === 'contract.started' || event.type === 'contract.resumed') return CHECKING;
  // The timer of the run stops at once.
  if (event.type === 'contract.paused' && event.running.some((key) => !key.startsWith('time-'))) return FINISHING;
  if (isPaused) return PAUSED;
  return event.type === 'contract.continued' || event.type === 'contract.planned' ? THINKING : null;
}

/** The style of the lines of such an event. */
export function styleOfContract(event: ContractEvent): Style {
  if (event.type === 'contract.fenced') return 'warning';
  if (event.type !== 'contract.ended') return 'dim';
  return event.reason === 'achieved' || event.reason === 'already-achieved' ? 'bold' : 'warning';
}
