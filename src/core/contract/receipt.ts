/* The log of an autonomous run, and the receipt that is made from it. */

import type { Contract, ContractEnd, ContractEvent, ContractSummary, Fence, PlanItem } from '../../protocol/contract.ts';
import type { EventOf, Recorded, SessionEvent } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { unwrapEvent } from '../accounting/spending.ts';
import { escapeForDisplay } from '../text/sanitize.ts';
import { formatContractLine } from './contract-line.ts';
import { type ContractRun, formatItems, isResumable, PLAN_TOOL_NAME, tokensOf } from './contract-run.ts';
import * as messages from './messages.ts';

/** The events of an autonomous run: from its start, and from each time that it went on, up to its next end. */
interface RunLog {
  readonly start: EventOf<'contract.started'>;
  /** The terms that count now. */
  readonly contract: EventOf<'contract.started'>['contract'];
  readonly spans: readonly (readonly Recorded[])[];
  /** Nothing has ended it so far. */
  readonly isOpen: boolean;
}

/** The last autonomous run of a session, without what happened while it had ended; null without one. */
export function readRun(recorded: readonly Recorded[]): RunLog | null {
  const begin = recorded.findLastIndex(({ event }) => event.type === 'contract.started');
  const start = recorded[begin]?.event;
  if (start?.type !== 'contract.started') return null;
  const spans: Recorded[][] = [];
  let { contract } = start;
  let open: Recorded[] | null = null;
  for (const one of recorded.slice(begin)) {
    const { event } = one;
    if (event.type === 'session.resumed') open = null;
    if (event.type === 'contract.started' || event.type === 'contract.resumed') {
      contract = event.contract;
      open = [];
      spans.push(open);
    }
    open?.push(one);
    if (event.type === 'contract.ended') open = null;
  }
  return { start, contract, spans, isOpen: open !== null };
}

/** The milliseconds that a run has used up to `now`. Those after the last event of a run that was cut short are unknown. */
export function timeOfRun({ spans, isOpen }: Pick<RunLog, 'spans' | 'isOpen'>, now: number): number {
  return spans.reduce((sum, span, at) => sum + timeOfSpan(span, isOpen && at === spans.length - 1 ? now : null), 0);
}

function timeOfSpan(span: readonly Recorded[], now: number | null): number {
  let sum = 0;
  let since = span[0]?.at ?? null;
  for (const { at, event } of span) {
    if (event.type === 'contract.paused' && since !== null) {
      sum += at - since;
      since = null;
    } else if (event.type === 'contract.continued') since ??= at;
  }
  return since === null ? sum : sum + (now ?? span.at(-1)?.at ?? since) - since;
}

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
  /** The plan of the model, newest version. */
  readonly plan: readonly PlanItem[];
  /** Ids of the checkpoints with a change, oldest first. */
  readonly checkpoints: readonly string[];
  readonly steps: number;
  readonly tokens: number;
  readonly seconds: number;
}

/** The receipt of the last autonomous run among the events; null without one. */
export function toReceipt(recorded: readonly Recorded[]): Receipt | null {
  const run = readRun(recorded);
  if (run === null) return null;
  const { spans, contract } = run;
  const own = new Set(spans.flat());
  const events = [...own].map(({ event }) => event);
  const ofType = <T extends SessionEvent['type']>(type: T) => events.filter((event): event is EventOf<T> => event.type === type);
  const checks = ofType('contract.checked');
  const steps = events.map(unwrapEvent).filter((event) => event.type === 'step.completed');
  const last = spans.at(-1)?.map(({ event }) => event) ?? [];
  const ended = last.find((event) => event.type === 'contract.ended');
  return {
    contract,
    reason: ended?.reason ?? null,
    fence: ended?.fence ?? null,
    checksBefore: toResults(checks[0]),
    checksAfter: toResults(checks.at(-1)),
    pinnedChanged: checks.at(-1)?.changed ?? [],
    // The snapshot after the last step may be taken after the end.
    ...toCalls(recorded.flatMap((one) => (own.has(one) || one.event.type === 'checkpoint.finalized' ? [one.event] : []))),
    plan: ofType('contract.planned').at(-1)?.items ?? [],
    steps: steps.length,
    tokens: steps.reduce((sum, step) => sum + tokensOf(step), 0),
    seconds: Math.round(timeOfRun({ spans, isOpen: false }, 0) / 1000),
  };
}

function toResults(checked: EventOf<'contract.checked'> | undefined): readonly CheckResult[] {
  return (checked?.records ?? []).map(({ line, exit }) => ({ command: line, exit }));
}

/**
 * The calls in their order, those of explorers too, each with what became of it, and the checkpoints with a change. A step has one
 * checkpoint, for all of its changes. That of a step without a change is deleted, and another one may get its id.
 */
function toCalls(events: readonly SessionEvent[]): Pick<Receipt, 'calls' | 'checkpoints'> {
  const calls = new Map<string, ReceiptCall>();
  const checkpoints = new Set<string>();
  const change = (id: string, with_: Partial<ReceiptCall>): void => {
    const call = calls.get(id);
    if (call !== undefined) calls.set(id, { ...call, ...with_ });
  };
  let checkpoint: string | null = null;
  for (const outer of events) {
    const event = unwrapEvent(outer);
    const by = outer.type === 'explorer.event' ? `${outer.callId}.${outer.explorer}.` : '';
    if (event.type === 'step.completed') {
      if (by === '') checkpoint = null;
      for (const call of event.calls)
        if (call.name !== PLAN_TOOL_NAME) calls.set(by + call.id, { what: nameCall(call), rule: null, checkpoint: null, isError: false });
    } else if (event.type === 'approval.decided' && event.decision === 'allow') change(by + event.callId, { rule: event.rule ?? null });
    else if (event.type === 'checkpoint.created') {
      checkpoint = event.checkpoint.id;
      checkpoints.add(checkpoint);
      change(event.callId, { checkpoint });
    } else if (event.type === 'checkpoint.finalized' && event.discarded === true && checkpoints.delete(event.id)) {
      for (const [id, call] of calls) if (call.checkpoint === event.id) change(id, { checkpoint: null });
    } else if (event.type === 'tool-call.started') change(event.callId, { checkpoint });
    else if (event.type === 'tool-call.completed') change(by + event.callId, { isError: event.isError });
  }
  return { calls: [...calls.values()], checkpoints: [...checkpoints] };
}

function nameCall({ name, arguments: args }: ToolCall): string {
  const shown = args.command ?? args.path;
  return typeof shown === 'string' ? (args.command === undefined ? `${name} ${shown}` : shown) : name;
}

/** A receipt as Markdown, with the files that differ from the start. */
export function formatReceipt(receipt: Receipt, changes: readonly ReceiptChange[]): string {
  const { contract, reason, fence, checksBefore, checksAfter, pinnedChanged, plan, calls, steps, tokens, seconds } = receipt;
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
    ...(plan.length === 0 ? [] : formatSection(messages.PLAN, formatItems(plan).map(inline))),
    ...formatSection(messages.formatCalls(calls.length), calls.map(formatCall)),
    ...formatSection(
      messages.formatChanges(changes.length),
      changes.map(({ path, kind }) => `- ${kind}: ${inline(path)}`),
    ),
  ].join('\n');
}

function formatSection(title: string, rows: readonly string[]): readonly string[] {
  return [`## ${title}`, '', ...rows, ...(rows.length === 0 ? [] : [''])];
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

/** The used part of the limits of a run, and its last checks, in lines. */
export function describeProgress(receipt: Receipt): readonly string[] {
  const checks = receipt.checksAfter.map(({ command, exit }) => messages.formatCheck(inline(command), exit, undefined));
  return [messages.formatProgress(receipt, receipt.contract.limits), ...checks];
}

/** An event of a run, in lines. */
export function describeContractEvent(event: ContractEvent): readonly string[] {
  switch (event.type) {
    case 'contract.started':
      return describeContract(event.contract);
    case 'contract.paused':
      return [messages.PAUSED];
    case 'contract.continued':
      return [messages.CONTINUED];
    case 'contract.steered':
      return [];
    case 'contract.planned':
      return [messages.formatPlanHead(event.by), ...formatItems(event.items, event.changed).map((line) => `  ${line}`)];
    case 'contract.resumed':
      return [messages.formatResumed(event.number), messages.formatLimits(event.contract.limits)];
    case 'contract.checked': {
      const pinned = event.pinned === undefined ? [] : [messages.formatPinned(event.pinned.length)];
      return [...pinned, ...event.records.map(({ line, exit, handle }) => messages.formatCheck(escapeForDisplay(line), exit, handle))];
    }
    case 'contract.fenced':
      return [escapeForDisplay(messages.formatFence(event.fence))];
    case 'contract.ended': {
      const { reason, error, summary } = event;
      const why = error === undefined ? [] : [escapeForDisplay(error.message), ...(error.hint === undefined ? [] : [error.hint])];
      return [messages.formatContractEnd(reason), ...why, ...describeSummary(summary)];
    }
  }
}

function describeSummary(summary: ContractSummary | undefined): readonly string[] {
  if (summary === undefined) return [];
  const { steps, tokens, failing, open = [] } = summary;
  return [
    messages.formatUsed({ steps, tokens }),
    ...(failing.length === 0 ? [] : [messages.formatMissing(failing.map(inline))]),
    ...(open.length === 0 ? [] : [messages.formatOpenItems(open.map(inline))]),
  ];
}

/** The commands for a user whose run has ended, in a line. */
export function describeNext({ reason, summary }: EventOf<'contract.ended'>): string {
  return messages.formatNext(isResumable(reason), (summary?.steps ?? 1) > 0);
}

/** A run as `:norris` shows it: its terms, its plan, its use and its last checks. */
export function describeRun({ contract, plan, steps, tokens, last, paused, end }: ContractRun, isRunning: boolean): readonly string[] {
  const state = isRunning ? (paused === undefined ? messages.RUNNING : messages.PAUSED) : endOfRun(end?.reason);
  return [
    state,
    ...describeContract(contract),
    ...(last?.records ?? []).map(({ line, exit, handle }) => messages.formatCheck(escapeForDisplay(line), exit, handle)),
    messages.formatUsed({ steps, tokens }),
    ...(plan.length === 0 ? [] : [`${messages.PLAN}:`, ...formatItems(plan)]),
    ...(isRunning ? [] : [messages.formatNext(isResumable(end?.reason), steps > 0)]),
  ];
}

function endOfRun(reason: ContractEnd | undefined): string {
  return reason === undefined ? messages.CUT_SHORT : messages.formatContractEnd(reason);
}
