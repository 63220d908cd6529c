import { isCommand, joinReasons } from '../../../core/policy/policy.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type {
  CallPreview,
  CommandClass,
  CommandDecision,
  GrantedSecret,
  ProposedRule,
  ToolCall,
} from '../../../protocol/tool.ts';
import { styled, type Theme } from './theme.ts';
import type { FrameView } from './tool-frame.ts';
import { clipText, indentText, styledProse, wrapProse } from './wrap.ts';

const MOST_REASONS = 4;
const MOST_REFUSAL_ROWS = 4;

const GRAVE: ReadonlySet<CommandClass> = new Set(['privileged', 'destructive', 'unparseable']);

/** What a user is told of a command beside its text: what it does and why, where, and what always would cover. */
export function formatDecision(
  call: ToolCall,
  { decided, again, sandboxed, unsandboxed }: CallPreview,
  columns: number,
  theme: Theme,
): readonly string[] {
  const asked = again === undefined ? [] : [`asked once more: ${escapeForDisplay(again)}`];
  const bare = unsandboxed === undefined ? [] : [formatUnsandboxed(unsandboxed)];
  const warned = [...bare, ...asked].flatMap((text) => styledProse(theme, 'warning', text, columns));
  if (decided === undefined) return warned;
  const style = GRAVE.has(decided.class) ? 'warning' : null;
  const place = isCommand(call) ? indentText(`in ${escapeForDisplay(decided.cwd)}`, '  ', columns) : [];
  return [
    ...place,
    ...styledProse(theme, style, describe(decided), columns),
    ...(sandboxed === true ? wrapProse(formatSandbox(decided.class), columns) : []),
    ...(decided.proposal ?? []).flatMap((rule) => wrapProse(`always: ${formatRule(rule)}`, columns)),
    ...warned,
  ];
}

/** A rule as it is shown: its words, whatever may follow, and no more than what it may do. */
export function formatRule({ prefix, class: ceiling }: ProposedRule): string {
  return `"${escapeForDisplay(prefix)} …" runs without asking in this session, whatever words follow, while it is ${formatCeiling(ceiling)}`;
}

function formatSandbox(kind: CommandClass): string {
  const what = kind === 'read-only' ? 'nothing' : 'the project and nothing else';
  return `y runs it in the sandbox: it can change ${what}, and has no network`;
}

function formatUnsandboxed(why: string): string {
  return `the sandbox is on, but ${escapeForDisplay(why)}: y runs it in your shell`;
}

function formatCeiling(ceiling: CommandClass): string {
  return ceiling === 'read-only' ? 'read-only' : `${ceiling} or less`;
}

function describe({ class: kind, reasons, rule }: CommandDecision): string {
  const shown = joinReasons(reasons.slice(0, MOST_REASONS).map((reason) => escapeForDisplay(reason)));
  const left = reasons.length - MOST_REASONS;
  const more = left > 0 ? [`and ${left} more`] : [];
  const by = rule === undefined ? [] : [`the rule "${escapeForDisplay(rule)}"`];
  const why = [...(shown === '' ? [] : [shown]), ...more, ...by].join('; ');
  return why === '' ? kind : `${kind}: ${why}`;
}

/** A call that the gate refused, in a few rows: the user is told, and not asked. */
export function formatGateRefusal(
  call: ToolCall,
  preview: CallPreview | undefined,
  { columns, theme }: FrameView,
): readonly string[] {
  const rows = wrapProse(describeRefusal(call, preview), columns);
  const shown = rows.slice(0, MOST_REFUSAL_ROWS);
  if (rows.length > shown.length) shown.push(clipText(`  … ${rows.length - shown.length} more`, columns));
  return shown.map((row) => styled(theme, 'warning', row));
}

/** What was refused and why, on one line. */
export function describeRefusal(call: Pick<ToolCall, 'name' | 'arguments'>, preview: CallPreview | undefined): string {
  const { hardDenials = [], reasons = [], rule = '' } = preview?.decided ?? {};
  const why = hardDenials.length === 0 ? `by the rule "${rule}"` : (reasons[0] ?? hardDenials.join(', '));
  const what = call.name === 'aish.exec' ? String(call.arguments.command ?? '') : call.name;
  return `refused (${escapeForDisplay(why)}): ${escapeForDisplay(what)}`;
}

/** Which secrets a call would be handed, and who gets them: what a yes gives away stands out, what a rule does is told. */
export function formatHanded({ secrets = [] }: CallPreview, columns: number, theme: Theme): readonly string[] {
  const ruled = secrets.filter(({ rule }) => rule !== undefined);
  const asked = secrets.filter(({ rule }) => rule === undefined);
  return [
    ...group(asked).flatMap((text) => styledProse(theme, 'warning', text, columns)),
    ...group(ruled).flatMap((text) => wrapProse(text, columns)),
  ];
}

/** The same in words, one line for each receiver. */
export function describeHanded({ secrets = [] }: CallPreview): readonly string[] {
  return group(secrets);
}

function group(secrets: readonly GrantedSecret[]): readonly string[] {
  const byEnd = new Map<string, Set<string>>();
  for (const { name, to, rule } of secrets) {
    const end = ` to ${to}${rule === undefined ? '' : ` by the rule "${rule}"`}`;
    byEnd.set(end, (byEnd.get(end) ?? new Set()).add(name));
  }
  return [...byEnd].map(([end, names]) => escapeForDisplay(`hands ${[...names].join(', ')}${end}`));
}
