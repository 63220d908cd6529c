import {
  DEPTH_LIMIT_REACHED,
  formatFailureLimit,
  formatRefusalLimit,
  formatRepetitionLimit,
} from '../../../core/session/messages.ts';
import { MOST_SAME_FAILURES, MOST_SAME_RESULTS } from '../../../core/session/repeated-call.ts';
import { type AnswerGap, MOST_REFUSALS } from '../../../core/session/state.ts';
import { formatError } from '../../../protocol/error.ts';
import type { EventOf, TurnEnd } from '../../../protocol/event.ts';
import { STEP_LIMIT_REACHED } from './messages.ts';

const ENDS: Readonly<Record<TurnEnd, string | null>> = {
  interrupted: 'interrupted',
  'depth-limit': DEPTH_LIMIT_REACHED,
  'step-limit': STEP_LIMIT_REACHED,
  denied: formatRefusalLimit(MOST_REFUSALS),
  'repeated-failure': formatFailureLimit(MOST_SAME_FAILURES),
  'repeated-call': formatRepetitionLimit(MOST_SAME_RESULTS),
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
