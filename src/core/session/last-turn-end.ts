import type { Recorded, SessionEvent } from '../../protocol/event.ts';
import type { HaltedBy } from '../../protocol/halt.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { isCommand } from '../policy.ts';
import { sanitizeLine } from '../sanitize.ts';
import { cutHead } from '../truncate.ts';
import { fold } from './evolve.ts';
import { findLostCommand } from './lost-command.ts';

/** Characters of a command that are shown. */
const LONGEST_LINE = 72;

const HALTS: Readonly<Record<HaltedBy, string>> = {
  person: 'was halted',
  terminal: 'was halted: the terminal was lost',
  signal: 'was halted by a signal',
};

/**
 * What there is to say to who goes on with a session of a command that ran when the process before ended, or of how the last turn ended: null where
 * all came to an end of its own. What ran when nobody was left to hear of it may have done all, some or nothing of what it was for.
 */
export function formatLastEnd(recorded: readonly Recorded[]): string | null {
  const lost = findLostCommand(recorded, '');
  if (lost === null) return formatLastTurnEnd(recorded);
  return `${quoteLine(lost.line)} was running when aish ended, and its outcome is unknown`;
}

function formatLastTurnEnd(recorded: readonly Recorded[]): string | null {
  const begin = recorded.findLastIndex(({ event }) => event.type === 'turn.started');
  if (begin === -1) return null;
  const since = recorded.slice(begin).map(({ event }) => event);
  const at = since.findIndex(({ type }) => type === 'turn.ended' || type === 'session.resumed');
  const how = howItEnded(since, since[at]);
  if (how === null) return null;
  const open = fold(since.slice(0, at === -1 ? since.length : at)).turn?.open ?? [];
  const running = open.filter(({ stage }) => stage === 'running').map(({ call }) => nameOf(call));
  const outcome = running.length === 0 ? '' : `; ${running.join(', ')} was running, and its outcome is unknown`;
  return `the last turn ${how}${outcome}`;
}

function howItEnded(since: readonly SessionEvent[], end: SessionEvent | undefined): string | null {
  if (end?.type !== 'turn.ended') return 'was cut short when aish ended';
  switch (end.reason) {
    case 'halted': {
      const halt = since.find((event) => event.type === 'session.halted');
      return HALTS[halt?.by ?? 'person'];
    }
    case 'interrupted':
      return 'was interrupted';
    case 'failed':
      return end.error === undefined ? 'failed' : `failed: ${sanitizeLine(end.error.message)}`;
    case 'completed':
    case 'denied':
    case 'depth-limit':
    case 'step-limit':
    case 'repeated-failure':
      return null;
  }
}

function nameOf(call: ToolCall): string {
  const { command } = call.arguments;
  if (!isCommand(call) || typeof command !== 'string') return sanitizeLine(call.name);
  return quoteLine(command);
}

function quoteLine(command: string): string {
  const line = sanitizeLine(command.replace(/\s+/g, ' ').trim());
  return `\`${line.length <= LONGEST_LINE ? line : `${cutHead(line, LONGEST_LINE)}…`}\``;
}
