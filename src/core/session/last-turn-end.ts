import type { Recorded, SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { isResumable } from '../contract/contract-run.ts';
import { readRun } from '../contract/receipt.ts';
import { isCommand } from '../policy/policy.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { cutHead } from '../text/truncate.ts';
import { fold } from './evolve.ts';
import { findLostCommand } from './lost-command.ts';
import { HALT_CAUSES } from './messages-later.ts';
import type { Entry } from './state.ts';

/** Maximum characters of a command in a notice. */
const LONGEST_LINE = 72;

const HOW_TO_RESUME = ':norris receipt shows it, and :norris resume goes on';

/** The last exchange of a resumed session, the directory where it began, and the work that was cut short. */
export function describeBefore(
  recorded: readonly Recorded[],
  entries: readonly Entry[],
  cwd: string,
  home: string | undefined,
): { readonly lines: readonly string[]; readonly ended: string | null } {
  const first = recorded[0]?.event;
  const elsewhere = formatBegunElsewhere(first?.type === 'session.created' ? first.cwd : cwd, cwd, home);
  const lines = [...(elsewhere === null ? [] : [elsewhere]), ...formatLastExchange(entries)];
  return { lines, ended: formatLastEnd(recorded) };
}

/**
 * The notice on resume about a command that ran when the previous process ended, or about the end of the last turn; null if everything
 * completed. A command whose end nobody recorded may have done all, some or none of its work.
 */
export function formatLastEnd(recorded: readonly Recorded[]): string | null {
  const lost = findLostCommand(recorded, '');
  if (lost === null) return formatLastTurnEnd(recorded);
  return `${quoteLine(lost.line)} was running when aish ended, and its outcome is unknown`;
}

function formatLastTurnEnd(recorded: readonly Recorded[]): string | null {
  const begin = recorded.findLastIndex(({ event }) => event.type === 'turn.started' || event.type === 'contract.started');
  const first = recorded[begin]?.event;
  if (first?.type === 'contract.started' || (first?.type === 'turn.started' && first.contract !== undefined))
    return formatLastRun(recorded);
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

/** The notice about an autonomous run that can go on; null for one that reached its goal. */
function formatLastRun(recorded: readonly Recorded[]): string | null {
  const end = readRun(recorded)?.spans.at(-1)?.at(-1)?.event;
  if (end?.type !== 'contract.ended') return `the autonomous run was cut short when aish ended; ${HOW_TO_RESUME}`;
  return isResumable(end.reason) ? `the autonomous run did not reach its goal; ${HOW_TO_RESUME}` : null;
}

function howItEnded(since: readonly SessionEvent[], end: SessionEvent | undefined): string | null {
  if (end?.type !== 'turn.ended') return 'was cut short when aish ended';
  switch (end.reason) {
    case 'halted': {
      const halt = since.find((event) => event.type === 'session.halted');
      return `was ${HALT_CAUSES[halt?.by ?? 'user']}`;
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
    case 'repeated-call':
    case 'budget':
    case 'contract':
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

/** The last message of the user and the beginning of the last answer to it, a line each, shown on resume; none for neither. */
export function formatLastExchange(entries: readonly Entry[]): readonly string[] {
  const at = entries.findLastIndex(({ type }) => type === 'user');
  const asked = entries[at];
  if (asked?.type !== 'user' || asked.isOwn === true) return [];
  const answer = entries.slice(at).findLast((entry) => isAnswer(entry));
  const said = answer?.type === 'assistant' || answer?.type === 'unanswered' ? answer.text : '';
  return [`> ${toLine(asked.text)}`, ...(said === '' ? [] : [`  ${toLine(said)}`])];
}

function isAnswer(entry: Entry): boolean {
  return (entry.type === 'assistant' || entry.type === 'unanswered') && entry.text.trim() !== '';
}

/** The notice on resume that the session started in another directory; null for the same one. */
export function formatBegunElsewhere(begun: string, cwd: string, home: string | undefined): string | null {
  if (begun === cwd) return null;
  const shown = (path: string): string =>
    sanitizeLine(home !== undefined && `${path}/`.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path);
  return `this session started in ${shown(begun)}, but the shell is in ${shown(cwd)}; :undo works in ${shown(cwd)}`;
}

/** The first non-empty line, cut to the maximum length. */
function toLine(text: string): string {
  const [first = '', ...rest] = text
    .split('\n')
    .map((line) => sanitizeLine(line).trim())
    .filter((line) => line !== '');
  if (first.length > LONGEST_LINE) return `${cutHead(first, LONGEST_LINE)}…`;
  return rest.length === 0 ? first : `${first} …`;
}
