import type { ContractEvent } from '../../../protocol/contract.ts';
import { CHECKING, FINISHING, PAUSED, THINKING } from './messages.ts';
import type { Style } from './theme.ts';

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
