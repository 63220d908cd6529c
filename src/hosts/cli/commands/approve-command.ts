import { join } from 'node:path';
import { formatKey } from '../../../adapters/config/config-file.ts';
import { formatToml } from '../../../adapters/config/format-config.ts';
import { graver, type Part } from '../../../core/commands/verdict.ts';
import type { ApproveRequest } from '../../../core/meta/meta-arguments.ts';
import { formatReason, listReasons } from '../../../core/policy/messages.ts';
import { GUARD_RULES, isCommand } from '../../../core/policy/policy.ts';
import { namesPart, readPrefix } from '../../../core/policy/prefix.ts';
import { classifyOrdinary, covers, faultOfPrefix } from '../../../core/policy/rules.ts';
import { NO_COMMAND_RULES } from '../../../core/session/state.ts';
import { formatCallTaint } from '../../../core/session/taint-state.ts';
import { formatTable } from '../../../core/terminal/table.ts';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { escapeForDisplay, sanitizeLine } from '../../../core/text/sanitize.ts';
import { commandOf } from '../../../engine/policy/command-gate.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import type { ChangeReport } from '../../../protocol/change-report.ts';
import { AishError } from '../../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../../protocol/event.ts';
import type { CommandRules } from '../../../protocol/settings.ts';
import type { CallPreview, CommandClass, CommandDecision, ToolCall } from '../../../protocol/tool.ts';
import { describeSecrets, formatRule } from '../screen/approval.ts';
import { formatChangeReport } from '../screen/change-report.ts';
import type { Setup } from '../setup/setup.ts';
import type { RuleEffect } from './messages.ts';
import * as messages from './messages.ts';

/** Dependencies of `:approve`. */
interface ApproveContext {
  readonly setup: Setup;
  readonly live: LiveSession;
}

interface RuleInForce {
  readonly kind: keyof CommandRules | 'tool';
  readonly text: string;
  readonly effect: RuleEffect;
  readonly origin: string;
}

/** Carries out `:approve`; returns the text to print. */
export async function runApprove(request: ApproveRequest, context: ApproveContext): Promise<string> {
  const { session } = context.live;
  switch (request.type) {
    case 'mode':
      await session.submit({ type: 'configure', settings: { approve: request.mode } });
      return formatRules(context);
    case 'list':
      return formatRules(context);
    case 'why':
      return explainDecision(request.back, context.live);
    case 'revoke':
      return revoke(request.rule, context);
    case 'save':
      return formatSaving(findRule(request.rule, context), context);
    case 'add':
      return add(request.prefix, context);
  }
}

function formatRules(context: ApproveContext): string {
  const { settings, halted, autoRunBefore } = context.live.session.state;
  const { approve } = settings;
  const rows = rulesInForce(context).map(({ kind, text, effect, origin }, at) => [
    `${at + 1}`,
    effect,
    sanitizeLine(kind === 'tool' ? text : `${text} …`),
    kind === 'tool' ? 'tool' : 'command',
    sanitizeLine(origin),
  ]);
  const list = rows.length === 0 ? '' : `\n${formatTable(rows)}`;
  const commands = `${settings.autoRun === 'read-only' ? messages.COMMANDS_IN_SANDBOX : messages.COMMANDS_BY_RULE}\n${messages.WHY_HINT}`;
  const after = halted === true && autoRunBefore === 'read-only' ? `\n${messages.HALTED}` : '';
  return `${messages.formatMode(approve)}${list}${formatSecretRules(context)}\n${commands}${after}`;
}

/** The secrets that commands get without asking. Only the configuration file can set this. */
function formatSecretRules({ setup: { loaded } }: ApproveContext): string {
  const rows = Object.entries(loaded.config.secrets.allow).map(([name, rules]) => [
    name,
    sanitizeLine(rules.map((rule) => `"${rule}"`).join(', ')),
    sanitizeLine(loaded.origins.get(formatKey(['secrets', 'allow', name])) ?? ''),
  ]);
  return rows.length === 0 ? '' : `\n${messages.SECRETS_HEAD}\n${formatTable(rows)}`;
}

/** Rules for commands first, and the strictest of them first: decisions use the same order. */
function rulesInForce({ setup, live }: ApproveContext): readonly RuleInForce[] {
  const { commands = NO_COMMAND_RULES, autoApprove, tools } = live.session.state.settings;
  const rule = (kind: RuleInForce['kind'], text: string, effect: RuleEffect, path: readonly string[]): RuleInForce => {
    return { kind, text, effect, origin: setup.loaded.origins.get(formatKey(path)) ?? messages.THIS_SESSION };
  };
  return [
    ...(['deny', 'ask', 'approve'] as const).flatMap((kind) =>
      commands[kind].map((text) => rule(kind, text, kind === 'approve' ? 'allow' : kind, ['safety', kind, text])),
    ),
    ...(['deny', 'ask'] as const).flatMap((kind) =>
      (tools?.[kind] ?? []).map((text) => rule('tool', text, kind, ['mcp', kind])),
    ),
    ...Object.entries(autoApprove).map(([text, isAllowed]) =>
      rule('tool', text, isAllowed ? 'allow' : 'ask', ['mcp', 'auto_approve', text]),
    ),
  ];
}

/** Finds a rule by its number, or by its words as listed. */
function findRule(named: string, context: ApproveContext): RuleInForce {
  const rules = rulesInForce(context);
  const words = named.replace(/(?<!\s)\s*(…|\*)$/, '');
  const found = /^\d+$/.test(named) ? rules[Number(named) - 1] : rules.find(({ text }) => text === words);
  if (found !== undefined) return found;
  throw new AishError('rule.unknown', messages.formatNoRule(named), { hint: messages.LISTS_RULES });
}

/** A rule of the configuration returns with the next session, because aish does not edit the user's file. */
async function revoke(named: string, context: ApproveContext): Promise<string> {
  const rule = findRule(named, context);
  const { session } = context.live;
  const { commands = NO_COMMAND_RULES, autoApprove } = session.state.settings;
  if (rule.kind !== 'approve' && rule.effect !== 'allow')
    throw new AishError('rule.kept', messages.formatRuleStays(rule.text), {
      hint: messages.formatRuleOrigin(rule.origin),
    });
  if (rule.kind === 'tool') {
    const kept = Object.entries(autoApprove).filter(([name]) => name !== rule.text);
    await session.submit({ type: 'configure', settings: { autoApprove: Object.fromEntries(kept) } });
  } else {
    const approve = commands.approve.filter((prefix) => prefix !== rule.text);
    await session.submit({ type: 'configure', settings: { commands: { ...commands, approve } } });
  }
  return sanitizeLine(messages.formatRevoked(rule.text, rule.origin === messages.THIS_SESSION ? null : rule.origin));
}

async function add(prefix: string, { live }: ApproveContext): Promise<string> {
  const fault = faultOfPrefix('approve', prefix);
  if (fault !== null)
    throw new AishError('rule.refused', messages.formatRefusedRule(prefix, fault), {
      hint: messages.APPROVE_HINT,
    });
  // A mistyped word for aish must not become a rule.
  const [program = ''] = readPrefix(prefix);
  if (live.sharedShell.shell?.lookup(program) === null)
    throw new AishError('rule.refused', messages.formatNoProgram(prefix, program), {
      hint: messages.APPROVE_HINT,
    });
  const words = prefix.replace(/(?<!\s)\s+\*$/, '');
  const { ceiling } = classifyOrdinary(readPrefix(prefix), await live.gate.context());
  const { commands = NO_COMMAND_RULES } = live.session.state.settings;
  const approve = [...new Set([...commands.approve, words])];
  await live.session.submit({ type: 'configure', settings: { commands: { ...commands, approve } } });
  return messages.formatNewRule(formatRule({ prefix: words, class: ceiling }), words);
}

/** Only the user edits the file, so this prints the lines to add. */
function formatSaving(rule: RuleInForce, { setup }: ApproveContext): string {
  const file = setup.loaded.file ?? join(setup.paths.config, 'config.toml');
  const origin = rule.origin === messages.THIS_SESSION ? null : rule.origin;
  if (origin !== null) return sanitizeLine(messages.formatSavedAlready(rule.text, origin));
  if (rule.kind === 'tool')
    return sanitizeLine(messages.formatSaveTool(file)).concat(`\n${formatKey([rule.text])} = true`);
  const own = setup.loaded.config.safety.approve.filter((entry) => {
    const prefix = typeof entry === 'string' ? entry : entry.prefix;
    return setup.loaded.origins.get(formatKey(['safety', 'approve', prefix])) === file;
  });
  return sanitizeLine(messages.formatSaveCommand(file)).concat(
    `\n[safety]\napprove = ${formatToml([...own, rule.text])}`,
  );
}

interface Considered {
  readonly call: ToolCall;
  readonly preview: CallPreview;
  readonly how: string;
  /** The impact preview of its approval prompt. */
  readonly report?: ChangeReport;
}

/** Explains why aish asked about a call, allowed it or denied it: the last call, or an earlier one. */
async function explainDecision(back: number, live: LiveSession): Promise<string> {
  const considered = listConsidered(live.session.recorded.map(({ event }) => event));
  const found = considered.at(-back);
  if (found === undefined)
    throw new AishError('why.none', messages.formatNoPrompt(back), { hint: messages.NO_PROMPT_HINT });
  const { decided } = found.preview;
  const head = `${escapeForDisplay(found.call.name)}: ${found.how}`;
  const taint =
    found.preview.taint === undefined ? [] : [`  ${escapeForDisplay(formatCallTaint(found.preview.taint))}`];
  const handed = describeSecrets(found.preview.secrets ?? []).map((text) => `  ${text}`);
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
  const { rule = 'default', reason } = event;
  if (rule === GUARD_RULES.hook && reason !== undefined) return escapeForDisplay(reason);
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

function ruleOf(part: Part, { approve, ask, deny }: CommandRules, isCovered: (prefix: string) => boolean): string {
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
