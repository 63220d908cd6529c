import type { DelayReason, RequestDelay } from '../../../protocol/model.ts';

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
