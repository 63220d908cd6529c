import { listEffects, listReasons } from '../../../core/policy/messages.ts';
import { isCommand, mayHold } from '../../../core/policy/policy.ts';
import { styled } from '../../../core/terminal/theme.ts';
import { clipText, indentText, type RowView, styledProse, wrapProse } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { EventOf } from '../../../protocol/event.ts';
import type {
  CallPreview,
  CommandClass,
  CommandDecision,
  GrantedSecret,
  ProposedRule,
  ToolCall,
} from '../../../protocol/tool.ts';
import * as messages from './messages.ts';

const MOST_PHRASES = 4;

const GRAVE: ReadonlySet<CommandClass> = new Set(['privileged', 'destructive', 'unparseable']);

/** The facts below a command in the approval prompt: its directory, its effects, and the rules that `a` would add. */
export function formatDecision(
  call: ToolCall,
  { decided, undoable, again, hook, sandboxed, unsandboxed }: CallPreview,
  view: RowView,
): readonly string[] {
  const { columns, theme } = view;
  const asked = again === undefined ? [] : [messages.formatAskedAgain(escapeForDisplay(again))];
  const bare = unsandboxed === undefined ? [] : [messages.formatUnsandboxedRun(escapeForDisplay(unsandboxed))];
  const hooked = hook === undefined ? [] : [messages.toSentence(escapeForDisplay(hook))];
  const warned = [...bare, ...asked, ...hooked].flatMap((text) => styledProse(view, 'warning', text));
  if (decided === undefined) return warned;
  const style = GRAVE.has(decided.class) ? 'warning' : null;
  const place = isCommand(call) ? indentText(`in ${escapeForDisplay(decided.cwd)}`, '  ', columns) : [];
  return [
    ...place.map((row) => styled(theme, 'dim', row)),
    ...styledProse(view, style, describe(decided, undoable)),
    ...(sandboxed === true ? wrapProse(messages.formatSandboxRun(decided.class), columns) : []),
    ...(decided.proposal ?? []).flatMap((rule) => wrapProse(messages.toSentence(`[a] ${formatRule(rule)}`), columns)),
    ...warned,
  ];
}

/** A rule for commands: its words, and the limits of what it allows. */
export function formatRule({ prefix, class: ceiling }: ProposedRule): string {
  return messages.formatRuleText(escapeForDisplay(prefix), ceiling);
}

/** Describes a command, with a sentence for each effect, then the other reasons; the class stands in for missing effects. */
function describe(decided: CommandDecision, undoable: boolean): string {
  const { class: kind, effects, reasons } = decided;
  const { phrases, left } = listEffects(effects ?? [], MOST_PHRASES);
  // Reasons of an older log hold the effects as well.
  const isBare = phrases.length === 0 && (reasons.length === 0 || (effects !== undefined && kind !== 'read-only'));
  const more = left + Math.max(0, reasons.length - MOST_PHRASES);
  return [
    ...(isBare ? [messages.CLASS_EFFECTS[kind]] : []),
    ...[...phrases, ...reasons.slice(0, MOST_PHRASES)].map((phrase) => messages.toSentence(escapeForDisplay(phrase))),
    ...(more > 0 ? [messages.formatMoreReasons(more)] : []),
    ...describeRule(decided, undoable),
  ].join(' ');
}

/** The rule for the call, unless it allows the call and another fact explains why aish asks. */
function describeRule(decided: CommandDecision, undoable: boolean): readonly string[] {
  const { decision, rule } = decided;
  if (rule === undefined || (decision === 'allow' && mayHold(decided, undoable))) return [];
  const shown = escapeForDisplay(rule);
  return [decision === 'allow' ? messages.formatHeldRule(shown) : messages.formatAskingRule(shown)];
}

/** The secrets that a call would get. Secrets that need an approval stand out; secrets that a rule grants do not. */
export function formatSecrets({ secrets = [] }: CallPreview, view: RowView): readonly string[] {
  const ruled = secrets.filter(({ rule }) => rule !== undefined);
  const asked = secrets.filter(({ rule }) => rule === undefined);
  return [
    ...describeSecrets(asked).flatMap((text) => styledProse(view, 'warning', messages.toSentence(text))),
    ...describeSecrets(ruled).flatMap((text) => wrapProse(messages.toSentence(text), view.columns)),
  ];
}

/** The secrets that a call would get, one phrase for each receiver. */
export function describeSecrets(secrets: readonly GrantedSecret[]): readonly string[] {
  const byReceiver = new Map<string, GrantedSecret[]>();
  for (const secret of secrets) {
    const receiver = JSON.stringify([secret.to, secret.rule]);
    byReceiver.set(receiver, [...(byReceiver.get(receiver) ?? []), secret]);
  }
  return [...byReceiver.values()].flatMap((same) => {
    const [first] = same;
    const names = [...new Set(same.map(({ name }) => name))];
    return first === undefined ? [] : [escapeForDisplay(messages.formatSecretGrant(names, first.to, first.rule))];
  });
}

type Denial = Pick<EventOf<'approval.decided'>, 'preview' | 'rule' | 'reason'>;

const MOST_REFUSAL_ROWS = 4;

/** Rows for a call that the gate refused without asking. */
export function formatGateRefusal(call: ToolCall, denial: Denial, { columns, theme }: RowView): readonly string[] {
  const rows = wrapProse(describeRefusal(call, denial), columns);
  const shown = rows.slice(0, MOST_REFUSAL_ROWS);
  if (rows.length > shown.length) shown.push(clipText(`  … ${rows.length - shown.length} more`, columns));
  return shown.map((row) => styled(theme, 'warning', row));
}

/** One line for a refused call, with the reason. */
export function describeRefusal(call: Pick<ToolCall, 'name' | 'arguments'>, denial: Denial): string {
  const { preview: { decided } = {}, reason, rule = '' } = denial;
  const builtIn = decided?.hardDenials.length ? listReasons(decided)[0] : undefined;
  const why = escapeForDisplay(builtIn ?? reason ?? messages.formatDenyingRule(rule));
  const what = call.name === 'aish.exec' ? String(call.arguments.command ?? '') : call.name;
  return messages.formatRefusal(why, escapeForDisplay(what));
}
