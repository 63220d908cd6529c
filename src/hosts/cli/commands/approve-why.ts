import { graver, type Part } from '../../../core/commands/verdict.ts';
import { formatReason, listReasons } from '../../../core/policy/messages.ts';
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
import { describeSecrets, formatRule } from '../screen/command-decision.ts';
import { PLAIN_THEME } from '../screen/theme.ts';
import * as messages from './messages.ts';

interface Considered {
  readonly call: ToolCall;
  readonly preview: CallPreview;
  readonly how: string;
  /** The impact preview of its approval prompt. */
  readonly report?: ChangeReport;
}

/** Explains why aish asked about a call, allowed it or denied it: the last call, or an earlier one. */
export async function explainDecision(back: number, live: LiveSession): Promise<string> {
  const considered = listConsidered(live.session.recorded.map(({ event }) => event));
  const found = considered.at(-back);
  if (found === undefined) {
    throw new AishError('why.none', messages.formatNoPrompt(back), {
      hint: messages.NO_PROMPT_HINT,
    });
  }
  const { decided } = found.preview;
  const head = `${escapeForDisplay(found.call.name)}: ${found.how}`;
  const taint =
    found.preview.taint === undefined ? [] : [`  ${escapeForDisplay(formatCallTaint(found.preview.taint))}`];
  const handed = describeSecrets(found.preview).map((text) => `  ${text}`);
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

/** Calls in the order of their decisions; an edited command counts as another call. */
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

/** The report belongs to the last prompt about the call. */
function addReport(considered: Considered[], { callId, report }: EventOf<'impact.estimated'>): void {
  const at = considered.findLastIndex(({ call }) => call.id === callId);
  const last = considered[at];
  if (last !== undefined) considered[at] = { ...last, report };
}

/** The impact preview of the prompt, whatever the answer was. */
function describeReport({ report, preview }: Considered): readonly string[] {
  if (report === undefined) return [];
  const { decided } = preview;
  const view = { columns: 1000, theme: PLAIN_THEME, ...(decided === undefined ? {} : { cwd: decided.cwd }) };
  return [`  ${messages.PREVIEW_HEAD}`, ...formatChangeReport(report, view).map((row) => `  ${row}`)];
}

function howDecided(event: EventOf<'approval.requested' | 'approval.decided'>): string {
  if (event.type === 'approval.requested') return messages.ASKED;
  const { rule = 'default' } = event;
  if (event.decision === 'allow') return messages.formatRan(escapeForDisplay(rule));
  const isBuiltIn = (event.preview?.decided?.hardDenials.length ?? 0) > 0;
  return messages.formatDenied(isBuiltIn ? null : escapeForDisplay(rule));
}

function describeTool({ call, preview }: Considered): readonly string[] {
  const why = preview.undoable
    ? []
    : [messages.formatCannotUndo(preview.why === undefined ? undefined : escapeForDisplay(preview.why))];
  const moved = preview.definition === 'moved' ? [messages.TOOL_MOVED] : [];
  const { decided } = preview;
  const reasons = decided === undefined ? [] : listReasons(decided).map((reason) => escapeForDisplay(reason));
  return [...moved, ...reasons, ...why, messages.formatToolRule(escapeForDisplay(call.name))].map(
    (line) => `  ${line}`,
  );
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
  const besides = decided.reasons.map((reason) => `    ${escapeForDisplay(reason)}`);
  const proposal = decided.proposal?.map((rule) => `  ${messages.formatProposal(formatRule(rule))}`) ?? [];
  return [
    `  ${escapeForDisplay(commandOf(call))}`,
    `  in ${escapeForDisplay(decided.cwd)}`,
    `  ${messages.formatClass(decided.class)}`,
    ...lines,
    ...besides,
    ...(decided.hardDenials.length === 0 ? [] : [`  ${messages.formatBuiltInRules(decided.hardDenials)}`]),
    ...proposal,
  ];
}

function ruleOf(
  part: Part,
  { approve = [], ask = [], deny = [] }: NonNullable<Rules['shell']>,
  isCovered: (prefix: string) => boolean,
): string {
  const matches = (prefix: string) => namesPart(readPrefix(prefix), part);
  const denied = deny.find(matches);
  if (denied !== undefined) return messages.formatPartRule('deny', denied);
  const asked = ask.find(matches);
  if (asked !== undefined) return messages.formatPartRule('ask', asked);
  if (part.isWrapper === true) return messages.WRAPPED;
  const approved = approve.find(isCovered);
  return approved === undefined ? messages.NO_RULE : messages.formatPartRule('allow', approved);
}

function describePart(part: Part, rule: string): readonly string[] {
  const kind = part.effects.reduce<CommandClass>((gravest, one) => graver(gravest, one.class), 'read-only');
  const words = part.words.map((word) => word ?? '?').join(' ');
  const reasons = [...new Set(part.effects.map(formatReason))].map((reason) => escapeForDisplay(reason));
  const why = reasons.length === 0 ? '' : `: ${reasons.slice(0, 3).join('; ')}`;
  return [
    `    ${escapeForDisplay(words === '' ? messages.WHOLE_LINE : words)}  ${kind}${why} (${escapeForDisplay(rule)})`,
  ];
}
