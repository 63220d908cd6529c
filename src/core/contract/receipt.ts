import type { Contract, ContractEnd, Fence } from '../../protocol/contract.ts';
import type { ContractEvent, EventOf, Recorded, SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { escapeForDisplay } from '../text/sanitize.ts';
import * as messages from './messages.ts';
import { formatContractLine } from './parse-contract.ts';

/** The result of one check. */
interface CheckResult {
  readonly command: string;
  readonly exit: number | null;
}

/** One call of the model in a run. */
interface ReceiptCall {
  /** The command line, or the tool with its path. */
  readonly what: string;
  /** The rule that decided; null if the call got no further. */
  readonly rule: string | null;
  /** The checkpoint that an undo of the call needs; null for a call that only read. */
  readonly checkpoint: string | null;
  readonly isError: boolean;
}

/** A file that differs from the start of the run, relative to the project. */
export interface ReceiptChange {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
}

/** The record of an autonomous run, made from its events. */
export interface Receipt {
  readonly contract: Contract;
  /** Null for a run that was cut short when aish ended. */
  readonly reason: ContractEnd | null;
  readonly fence: Fence | null;
  readonly checksBefore: readonly CheckResult[];
  readonly checksAfter: readonly CheckResult[];
  readonly pinnedChanged: readonly string[];
  readonly calls: readonly ReceiptCall[];
  /** Ids of the checkpoints with a change, oldest first. */
  readonly checkpoints: readonly string[];
  readonly steps: number;
  readonly tokens: number;
  readonly seconds: number;
}

/** The receipt of the last autonomous run among the events; null without one. */
export function toReceipt(recorded: readonly Recorded[]): Receipt | null {
  const begin = recorded.findLastIndex(({ event }) => event.type === 'contract.started');
  const first = recorded[begin];
  if (first?.event.type !== 'contract.started') return null;
  const since = recorded.slice(begin + 1);
  const end = since.findIndex(({ event }) => event.type === 'contract.ended' || event.type === 'session.resumed');
  const within = end === -1 ? since : since.slice(0, end + 1);
  const events = within.map(({ event }) => event);
  const ofType = <T extends SessionEvent['type']>(type: T) => events.filter((event): event is EventOf<T> => event.type === type);
  const checks = ofType('contract.checked');
  const steps = ofType('step.completed');
  const ended = ofType('contract.ended').at(-1);
  // The last snapshot may be finalized after the end.
  const discarded = new Set(
    since.flatMap(({ event }) => (event.type === 'checkpoint.finalized' && event.discarded === true ? [event.id] : [])),
  );
  const made = ofType('checkpoint.created').map(({ checkpoint }) => checkpoint.id);
  return {
    contract: first.event.contract,
    reason: ended?.reason ?? null,
    fence: ofType('contract.fenced').at(-1)?.fence ?? null,
    checksBefore: toResults(checks[0]),
    checksAfter: toResults(checks.at(-1)),
    pinnedChanged: checks.at(-1)?.changed ?? [],
    calls: toCalls(events),
    checkpoints: [...new Set(made)].filter((id) => !discarded.has(id)),
    steps: steps.length,
    tokens: steps.reduce((sum, { usage }) => sum + (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0), 0),
    seconds: Math.round(((within.at(-1)?.at ?? first.at) - first.at) / 1000),
  };
}

function toResults(checked: EventOf<'contract.checked'> | undefined): readonly CheckResult[] {
  return (checked?.records ?? []).map(({ line, exit }) => ({ command: line, exit }));
}

/** The calls in their order, each with what became of it. A step has one checkpoint, for all of its changes. */
function toCalls(events: readonly SessionEvent[]): readonly ReceiptCall[] {
  const calls = new Map<string, ReceiptCall>();
  const change = (id: string, with_: Partial<ReceiptCall>): void => {
    const call = calls.get(id);
    if (call !== undefined) calls.set(id, { ...call, ...with_ });
  };
  let checkpoint: string | null = null;
  for (const event of events) {
    if (event.type === 'step.completed') {
      checkpoint = null;
      for (const call of event.calls) calls.set(call.id, { what: nameCall(call), rule: null, checkpoint: null, isError: false });
    } else if (event.type === 'approval.decided' && event.decision === 'allow') change(event.callId, { rule: event.rule ?? null });
    else if (event.type === 'checkpoint.created') {
      checkpoint = event.checkpoint.id;
      change(event.callId, { checkpoint });
    } else if (event.type === 'tool-call.started') change(event.callId, { checkpoint });
    else if (event.type === 'tool-call.completed') change(event.callId, { isError: event.isError });
  }
  return [...calls.values()];
}

function nameCall({ name, arguments: args }: ToolCall): string {
  const shown = args.command ?? args.path;
  return typeof shown === 'string' ? (args.command === undefined ? `${name} ${shown}` : shown) : name;
}

/** A receipt as Markdown, with the files that differ from the start. */
export function formatReceipt(receipt: Receipt, changes: readonly ReceiptChange[]): string {
  const { contract, reason, fence, checksBefore, checksAfter, pinnedChanged, calls, steps, tokens, seconds } = receipt;
  const check = ({ command, exit }: CheckResult): string => messages.formatCheck(inline(command), exit, undefined);
  const before = checksBefore.length === 0 ? [] : [`- before: ${checksBefore.map(check).join('; ')}`];
  const after = checksAfter.length === 0 ? [] : [`- after: ${checksAfter.map(check).join('; ')}`];
  return [
    `# ${messages.RECEIPT}`,
    '',
    reason === null ? messages.CUT_SHORT : messages.formatContractEnd(reason),
    ...(fence === null ? [] : [inline(messages.formatFence(fence))]),
    ...(pinnedChanged.length === 0 ? [] : [messages.formatPinnedChanged(pinnedChanged.map(inline))]),
    '',
    ...describeContract(contract).map((line) => `- ${inline(line)}`),
    ...before,
    ...after,
    `- ${messages.formatUsed({ steps, tokens, seconds })}`,
    `- ${messages.formatAgain(inline(formatContractLine(contract)))}`,
    '',
    `## ${messages.formatCalls(calls.length)}`,
    '',
    ...calls.map(formatCall),
    '',
    `## ${messages.formatChanges(changes.length)}`,
    '',
    ...changes.map(({ path, kind }) => `- ${kind}: ${inline(path)}`),
    '',
  ].join('\n');
}

function formatCall({ what, rule, checkpoint, isError }: ReceiptCall): string {
  const facts = [
    ...(rule === null ? [messages.NOT_RUN] : [messages.formatAllowedBy(rule)]),
    ...(checkpoint === null ? [] : [messages.formatUndoneBy(checkpoint)]),
    ...(isError ? [messages.FAILED] : []),
  ];
  return `- \`${inline(what).replaceAll('`', "'")}\` (${facts.join(', ')})`;
}

function inline(text: string): string {
  return escapeForDisplay(text.replace(/\s+/g, ' ').trim());
}

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
