import { graver, type Part } from '../../../core/commands/verdict.ts';
import { formatReason } from '../../../core/policy/messages.ts';
import { isCommand } from '../../../core/policy/policy.ts';
import { namesPart, readPrefix } from '../../../core/policy/prefix.ts';
import { covers, type Rules } from '../../../core/policy/rules.ts';
import { NO_COMMAND_RULES } from '../../../core/session/state.ts';
import { formatCallTaint } from '../../../core/session/taint-state.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { commandOf } from '../../../engine/policy/command-gate.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import type { ChangeReport } from '../../../protocol/change-report.ts';
import { AishError } from '../../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../../protocol/event.ts';
import type { CallPreview, CommandClass, CommandDecision, ToolCall } from '../../../protocol/tool.ts';
import { formatChangeReport } from '../screen/change-report.ts';
import { describeHanded, formatRule } from '../screen/command-decision.ts';
import { PLAIN_THEME } from '../screen/theme.ts';

/** A call and what was found out about it before it was decided. */
interface Considered {
  readonly call: ToolCall;
  readonly preview: CallPreview;
  readonly how: string;
  /** What the question said that it would touch. */
  readonly report?: ChangeReport;
}

/** Why a call was asked about, allowed or refused: the last one, or one before it. */
export async function explainQuestion(back: number, live: LiveSession): Promise<string> {
  const considered = listConsidered(live.session.recorded.map(({ event }) => event));
  const found = considered.at(-back);
  if (found === undefined) {
    throw new AishError('why.none', back === 1 ? 'nothing was asked yet' : `nothing was asked ${back} calls ago`, {
      hint: 'ask the model for something that runs a command',
    });
  }
  const { decided } = found.preview;
  const head = `${escapeForDisplay(found.call.name)}: ${found.how}`;
  const taint =
    found.preview.taint === undefined ? [] : [`  ${escapeForDisplay(formatCallTaint(found.preview.taint))}`];
  const handed = describeHanded(found.preview).map((text) => `  ${text}`);
  if (decided === undefined || !isCommand(found.call))
    return [head, ...taint, ...handed, ...describeTool(found), ...describeReport(found)].join('\n');
  return [
    head,
    ...taint,
    ...handed,
    ...(await describeCommand(found.call, decided, live)),
    ...describeReport(found),
  ].join('\n');
}

/** Calls in the order in which they were decided about; a changed command counts as another one. */
function listConsidered(events: readonly SessionEvent[]): readonly Considered[] {
  const calls = new Map<string, ToolCall>();
  const considered: Considered[] = [];
  for (const event of events) {
    if (event.type === 'step.completed') for (const call of event.calls) calls.set(call.id, call);
    if (event.type === 'impact.estimated') addReport(considered, event);
    if (event.type !== 'approval.requested' && event.type !== 'approval.decided') continue;
    const call = calls.get(event.callId);
    if (call === undefined) continue;
    if (event.type === 'approval.decided' && event.decision === 'edit')
      calls.set(call.id, { ...call, arguments: { ...call.arguments, command: event.command ?? '' } });
    if (event.preview === undefined) continue;
    considered.push({ call, preview: event.preview, how: howDecided(event) });
  }
  return considered;
}

/** It came while the last question about the call was open. */
function addReport(considered: Considered[], { callId, report }: EventOf<'impact.estimated'>): void {
  const at = considered.findLastIndex(({ call }) => call.id === callId);
  const last = considered[at];
  if (last !== undefined) considered[at] = { ...last, report };
}

/** What the question said, whatever became of it. */
function describeReport({ report, preview }: Considered): readonly string[] {
  if (report === undefined) return [];
  const { decided } = preview;
  const view = { columns: 1000, theme: PLAIN_THEME, ...(decided === undefined ? {} : { cwd: decided.cwd }) };
  return ['  the question said:', ...formatChangeReport(report, view).map((row) => `  ${row}`)];
}

function howDecided(event: EventOf<'approval.requested' | 'approval.decided'>): string {
  if (event.type === 'approval.requested') return 'asked';
  const { rule = 'default' } = event;
  const isRefusedByAll = event.decision === 'deny' && (event.preview?.decided?.hardDenials.length ?? 0) > 0;
  const by = isRefusedByAll ? 'whatever the rules say' : `by the rule "${escapeForDisplay(rule)}"`;
  return event.decision === 'allow' ? `ran without asking ${by}` : `refused ${by}`;
}

function describeTool({ call, preview }: Considered): readonly string[] {
  const why = preview.undoable ? [] : [`it cannot be undone: ${escapeForDisplay(preview.why ?? 'unknown why')}`];
  const moved =
    preview.definition === 'moved'
      ? ['it is not what it was when a rule for its server began to hold; :mcp review shows what changed']
      : [];
  const hardDenials = preview.decided?.reasons.map((reason) => escapeForDisplay(reason)) ?? [];
  return [
    ...moved,
    ...hardDenials,
    ...why,
    `a rule for it reads "${escapeForDisplay(call.name)}" = true, in [mcp.auto_approve]`,
  ].map((line) => `  ${line}`);
}

async function describeCommand(
  call: ToolCall,
  decided: CommandDecision,
  live: LiveSession,
): Promise<readonly string[]> {
  const place = { ...(await live.gate.context()), cwd: decided.cwd };
  const { context, classification } = await live.gate.classify(commandOf(call), place);
  const { parts } = classification;
  const rules = live.session.state.settings.commands ?? NO_COMMAND_RULES;
  const lines = parts.flatMap((part) =>
    describePart(
      part,
      ruleOf(part, rules, (prefix) => covers(prefix, part, context)),
    ),
  );
  // Where nothing of the line itself is to be asked about, it is the place it would run in.
  const own = new Set(parts.flatMap(({ effects }) => effects.map(formatReason)));
  const besides = decided.reasons
    .filter((reason) => !own.has(reason))
    .map((reason) => `    ${escapeForDisplay(reason)}`);
  const proposal = decided.proposal?.map((rule) => `  rule that would cover it: ${formatRule(rule)}`) ?? [];
  return [
    `  ${escapeForDisplay(commandOf(call))}`,
    `  in ${escapeForDisplay(decided.cwd)}`,
    `  ${decided.class}, because of its gravest part:`,
    ...lines,
    ...besides,
    ...(decided.hardDenials.length === 0
      ? []
      : [`  refused whatever the rules say: ${decided.hardDenials.join(', ')}`]),
    ...proposal,
  ];
}

/** What the rules of now say of a part. */
function ruleOf(
  part: Part,
  { approve = [], ask = [], deny = [] }: NonNullable<Rules['shell']>,
  isCovered: (prefix: string) => boolean,
): string {
  const matches = (prefix: string) => namesPart(readPrefix(prefix), part);
  const denied = deny.find(matches);
  if (denied !== undefined) return `refused by "${denied}"`;
  const asked = ask.find(matches);
  if (asked !== undefined) return `asked by "${asked}"`;
  if (part.isWrapper === true) return 'covered by the rules for the command it runs';
  const approved = approve.find(isCovered);
  return approved === undefined ? 'no rule' : `covered by "${approved}"`;
}

function describePart(part: Part, rule: string): readonly string[] {
  const kind = part.effects.reduce<CommandClass>((gravest, one) => graver(gravest, one.class), 'read-only');
  const words = part.words.map((word) => word ?? '?').join(' ');
  const reasons = [...new Set(part.effects.map(formatReason))].map((reason) => escapeForDisplay(reason));
  const why = reasons.length === 0 ? '' : `: ${reasons.slice(0, 3).join('; ')}`;
  return [`    ${escapeForDisplay(words === '' ? '(the line)' : words)}  ${kind}${why} (${escapeForDisplay(rule)})`];
}
