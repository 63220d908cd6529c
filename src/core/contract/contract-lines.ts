import type { Contract } from '../../protocol/contract.ts';
import type { ContractEvent } from '../../protocol/event.ts';
import { escapeForDisplay } from '../text/sanitize.ts';
import * as messages from './messages.ts';

/** A contract as the user approves it, whole. */
export function describeContract({ goal, until, only, limits }: Contract): readonly string[] {
  return [
    messages.formatGoal(escapeForDisplay(goal)),
    ...until.map((line) => messages.formatUntil(escapeForDisplay(line))),
    messages.formatOnly(only.map((path) => escapeForDisplay(path))),
    messages.formatLimits(limits),
    messages.NO_NETWORK,
  ];
}

/** An event of a run, in lines. */
export function describeContractEvent(event: ContractEvent): readonly string[] {
  switch (event.type) {
    case 'contract.started':
      return describeContract(event.contract);
    case 'contract.checked': {
      const pinned = event.pinned === undefined ? [] : [messages.formatPinned(event.pinned.length)];
      return [...pinned, ...event.records.map(({ line, exit, handle }) => messages.formatCheck(escapeForDisplay(line), exit, handle))];
    }
    case 'contract.fenced':
      return [escapeForDisplay(messages.formatFence(event.fence))];
    case 'contract.ended': {
      const error =
        event.error === undefined
          ? []
          : [escapeForDisplay(event.error.message), ...(event.error.hint === undefined ? [] : [event.error.hint])];
      return [messages.formatContractEnd(event.reason), ...error];
    }
  }
}
