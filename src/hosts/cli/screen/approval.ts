import { listEffects, listReasons } from '../../../core/policy/messages.ts';
import { isCommand, mayHold } from '../../../core/policy/policy.ts';
import { formatTaintNote } from '../../../core/session/taint-state.ts';
import { type Style, styled } from '../../../core/terminal/theme.ts';
import { clipText, indentText, type RowView, styledProse, wrapLines, wrapProse } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { ChangeReport } from '../../../protocol/change-report.ts';
import type { EventOf } from '../../../protocol/event.ts';
import type {
  CallPreview,
  CommandClass,
  CommandDecision,
  GrantedSecret,
  ProposedRule,
  ToolCall,
} from '../../../protocol/tool.ts';
import { formatChangeReport } from './change-report.ts';
import { formatChoices, type QuestionText } from './choices.ts';
import { formatIndentedDiff } from './diff.ts';
import * as messages from './messages.ts';
import { formatArguments, formatCommand } from './tool-frame.ts';

/** A key that answers the prompt: yes, no, always, edit the command, dry-run it, deny with a reason, view all. */
export type ApprovalKey = 'y' | 'n' | 'a' | 'e' | 'r' | 'd' | 'v';

/** How the prompt is shown. `all` shows every line, however many there are. */
interface ApprovalView extends RowView {
  readonly rows: number;
  readonly all?: boolean;
  readonly canDryRun?: boolean;
  /** The impact estimate, once it is known. */
  readonly impact?: ChangeReport | null;
}

const MIN_BODY = 3;

/** The approval prompt of a call: its full name, every argument, its effects, and the keys. */
export function formatApproval(call: ToolCall, preview: CallPreview, view: ApprovalView): QuestionText<ApprovalKey> {
  const { columns, rows, all = false, canDryRun = false } = view;
  const head = formatHead(call, columns).map((line) => styled(view.theme, 'bold', line));
  const body = [...formatGiven(call, columns), ...formatChange(preview, view)];
  const warning = [
    ...formatDecision(call, preview, view),
    ...formatSecrets(preview, view),
    ...notesOn(call, preview).flatMap(([style, text]) => styledProse(view, style, text)),
    ...formatMeasured(preview, { ...view, canDryRun: isCommand(call) && canDryRun }),
  ];
  const texts = messages.formatApprovalKeys(isCommand(call), escapeForDisplay(call.name));
  const format = (keys: readonly ApprovalKey[]) => formatChoices(keys, texts, view);
  const keys = offeredKeys(call, preview).filter((key) => key !== 'r' || canDryRun);
  const isFull = !all && head.length + body.length + warning.length + 2 > rows;
  const choices = format(isFull ? [...keys, 'v'] : keys);
  const room = Math.max(MIN_BODY, rows - head.length - warning.length - choices.length - 2);
  if (all || body.length <= room) return { lines: [...head, ...body, ...warning, ...format(keys)], keys };
  // Only a command that was shown in full can be approved: its last line may be the one that matters.
  const mustView = isCommand(call);
  const offered = [...keys.filter((key) => !(mustView && (key === 'y' || key === 'a'))), 'v' as const];
  const fold = styledProse(view, 'warning', messages.formatFolded(body.length, mustView));
  return { lines: [...head, ...body.slice(0, room), ...fold, ...warning, ...format(offered)], keys: offered };
}

function formatHead(call: ToolCall, columns: number): readonly string[] {
  const isSuggested = call.origin === 'command-line' || call.isPrinted === true;
  const head = isSuggested ? messages.HEAD_OF_SUGGESTED_TOOL : messages.HEAD_OF_TOOL;
  if (commandOf(call) !== null)
    return wrapProse(isSuggested ? messages.HEAD_OF_SUGGESTION : messages.HEAD_OF_COMMAND, columns, '');
  const name = `${escapeForDisplay(call.name)}:`;
  const whole = wrapLines(`${head} ${name}`, columns);
  return whole.length === 1 ? whole : [...wrapProse(head, columns, ''), ...indentText(name, '  ', columns)];
}

/** The command of a call that has one; null for any other call. */
function commandOf(call: ToolCall): string | null {
  const { command } = call.arguments;
  return isCommand(call) && typeof command === 'string' ? command : null;
}

/** The command as the shell gets it, or every argument of a tool. */
function formatGiven(call: ToolCall, columns: number): readonly string[] {
  const command = commandOf(call);
  if (command === null) return formatArguments(call.arguments, columns);
  const { command: _, ...others } = call.arguments;
  const rest = Object.keys(others).length === 0 ? [] : formatArguments(others, columns);
  return [...formatCommand(command, columns), ...rest];
}

/** A new file has no diff worth showing: its content stands among the arguments already. */
function formatChange(preview: CallPreview, view: RowView): readonly string[] {
  const { columns } = view;
  const really = formatTarget(preview, columns);
  if (preview.diff === undefined || preview.diff === '') return really;
  if (preview.diff.startsWith('--- /dev/null\n') && preview.path !== undefined)
    return indentText(messages.formatNewFile(escapeForDisplay(preview.path)), '  ', columns);
  return [...really, `  ${messages.CHANGE_TITLE}`, ...formatIndentedDiff(preview.diff, view)];
}

/** The name in the call is the model's choice; where it leads is what is read or written. */
function formatTarget({ path, linked, foreign }: CallPreview, columns: number): readonly string[] {
  if (path === undefined || !(linked || foreign)) return [];
  return indentText(messages.formatRealPath(escapeForDisplay(path), foreign === true), '  ', columns);
}

/** A sentence below the call, in a style or plain. */
type Note = readonly [Style | null, string];

function notesOn(call: ToolCall, preview: CallPreview): readonly Note[] {
  const { problem, hint, taint } = preview;
  return [
    ...(problem === undefined ? [] : [['warning', messages.formatProblem(escapeForDisplay(problem))] as const]),
    ...noteOnUndo(call, preview),
    ...(hint === undefined || call.effect === 'read' ? [] : [[null, messages.SERVER_SAYS_READS] as const]),
    ...noteOnDefinition(call, preview),
    ...(taint === undefined
      ? []
      : [['warning', messages.toSentence(escapeForDisplay(formatTaintNote(taint)))] as const]),
  ];
}

function noteOnUndo(call: ToolCall, preview: CallPreview): readonly Note[] {
  if (preview.undoable || call.effect === 'read' || preview.decided?.class === 'read-only') return [];
  if (preview.repeated === true) return [['warning', messages.NOT_UNDOABLE_HERE]];
  return [
    [
      'warning',
      preview.why === undefined ? messages.NOT_UNDOABLE : messages.formatNotUndoable(escapeForDisplay(preview.why)),
    ],
  ];
}

/** A server may describe a tool otherwise than the user believes. */
function noteOnDefinition({ name }: ToolCall, { definition }: CallPreview): readonly Note[] {
  if (definition === undefined) return [];
  const alias = escapeForDisplay(name.slice(0, name.indexOf('.')));
  return definition === 'moved'
    ? [['warning', messages.formatMovedDefinition(alias)]]
    : [[null, messages.formatUnreviewed(alias)]];
}

/** The impact estimate; no rows while there is none. */
export function formatMeasured(
  { decided }: Pick<CallPreview, 'decided'>,
  { columns, theme, impact = null, canDryRun }: Omit<ApprovalView, 'rows'>,
): readonly string[] {
  if (impact === null) return [];
  return formatChangeReport(impact, {
    columns,
    theme,
    ...(decided === undefined ? {} : { cwd: decided.cwd, said: decided.effects ?? [] }),
    ...(canDryRun === true ? { dryRun: '[r] dry run' } : {}),
  });
}

/** The keys of the prompt. `a` is there only if a rule could apply; a call that aish cannot undo needs an approval every time. */
function offeredKeys(call: ToolCall, preview: CallPreview): readonly ApprovalKey[] {
  if (isCommand(call)) {
    const mayAlways = (preview.decided?.proposal ?? []).length > 0;
    return ['y', 'n', ...(mayAlways ? (['a'] as const) : []), 'e', 'r', 'd'];
  }
  const mayAlways =
    preview.foreign !== true &&
    preview.taint === undefined &&
    // Built-in rules that need an approval need it every time.
    preview.decided?.rule === undefined &&
    preview.definition !== 'moved' &&
    (preview.undoable || call.effect === 'read');
  return ['y', 'n', ...(mayAlways ? (['a'] as const) : []), 'd'];
}

const MOST_PHRASES = 4;

const GRAVE: ReadonlySet<CommandClass> = new Set(['privileged', 'destructive', 'unparseable']);

/** The facts below a command in the approval prompt: its directory, its effects, and the rules that `a` would add. */
function formatDecision(
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
