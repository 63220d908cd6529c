import { isCommand } from '../../../core/policy/policy.ts';
import { formatTaintNote } from '../../../core/session/taint-state.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { ChangeReport } from '../../../protocol/change-report.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { CallPreview, ToolCall } from '../../../protocol/tool.ts';
import { formatArguments, formatCommand } from './call-arguments.ts';
import { formatChangeReport } from './change-report.ts';
import { formatChoices, type QuestionText } from './choices.ts';
import { formatDecision, formatSecrets } from './command-decision.ts';
import { formatDiff } from './diff.ts';
import {
  CHANGE_TITLE,
  formatApprovalKeys,
  formatFolded,
  formatMovedDefinition,
  formatNewFile,
  formatNotUndoable,
  formatProblem,
  formatRealPath,
  formatUnreviewed,
  HEAD_OF_COMMAND,
  HEAD_OF_SUGGESTED_TOOL,
  HEAD_OF_SUGGESTION,
  HEAD_OF_TOOL,
  NOT_UNDOABLE,
  NOT_UNDOABLE_HERE,
  SERVER_SAYS_READS,
  toSentence,
} from './messages.ts';
import { type Style, styled, type Theme } from './theme.ts';
import { indentText, styledProse, wrapLines, wrapProse } from './wrap.ts';

/** A key that answers the prompt: yes, no, always, edit the command, dry-run it, deny with a reason, view all. */
export type ApprovalKey = 'y' | 'n' | 'a' | 'e' | 'r' | 'd' | 'v';

/** How the prompt is shown. `all` shows every line, however many there are. */
interface ApprovalView {
  readonly size: TerminalSize;
  readonly theme: Theme;
  readonly all?: boolean;
  readonly canDryRun?: boolean;
  /** The impact estimate, once it is known. */
  readonly impact?: ChangeReport | null;
}

const MIN_BODY = 3;

/** The approval prompt of a call: its full name, every argument, its effects, and the keys. */
export function formatApproval(call: ToolCall, preview: CallPreview, view: ApprovalView): QuestionText<ApprovalKey> {
  const { columns, rows } = view.size;
  const head = formatHead(call, columns, view.theme);
  const body = [...formatGiven(call, columns), ...formatChange(preview, columns, view.theme)];
  const warning = [
    ...formatDecision(call, preview, columns, view.theme),
    ...formatSecrets(preview, columns, view.theme),
    ...notesOn(call, preview).flatMap(([style, text]) => styledProse(view.theme, style, text, columns)),
    ...formatMeasured(preview, { ...view, canDryRun: isCommand(call) && view.canDryRun === true }),
  ];
  const full = head.length + body.length + warning.length + 2 > rows;
  const offers = offeredKeys(call, preview, full && view.all !== true);
  const keys = offers.filter((key) => key !== 'r' || view.canDryRun === true);
  const choices = formatKeys(call, keys, columns, view.theme);
  const room = Math.max(MIN_BODY, rows - head.length - warning.length - choices.length - 2);
  if (view.all === true || body.length <= room) {
    const shown = keys.filter((key) => key !== 'v');
    return {
      lines: [...head, ...body, ...warning, ...formatKeys(call, shown, columns, view.theme)],
      keys: shown,
    };
  }
  // Only a command that was shown in full can be approved: its last line may be the one that matters.
  const mustView = isCommand(call);
  const offered: readonly ApprovalKey[] = [
    ...keys.filter((key) => key !== 'v' && !(mustView && (key === 'y' || key === 'a'))),
    'v',
  ];
  const fold = styledProse(view.theme, 'warning', formatFolded(body.length, mustView), columns);
  const lines = [
    ...head,
    ...body.slice(0, room),
    ...fold,
    ...warning,
    ...formatKeys(call, offered, columns, view.theme),
  ];
  return { lines, keys: offered };
}

function formatHead(call: ToolCall, columns: number, theme: Theme): readonly string[] {
  return formatHeadRows(call, columns).map((line) => styled(theme, 'bold', line));
}

function formatHeadRows(call: ToolCall, columns: number): readonly string[] {
  const isSuggested = call.origin === 'command-line' || call.isPrinted === true;
  const head = isSuggested ? HEAD_OF_SUGGESTED_TOOL : HEAD_OF_TOOL;
  if (commandOf(call) !== null) return wrapProse(isSuggested ? HEAD_OF_SUGGESTION : HEAD_OF_COMMAND, columns, '');
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
function formatChange(preview: CallPreview, columns: number, theme: Theme): readonly string[] {
  const really = formatTarget(preview, columns);
  if (preview.diff === undefined || preview.diff === '') return really;
  if (preview.diff.startsWith('--- /dev/null\n') && preview.path !== undefined)
    return indentText(formatNewFile(escapeForDisplay(preview.path)), '  ', columns);
  return [...really, `  ${CHANGE_TITLE}`, ...formatDiff(preview.diff, columns - 2, theme).map((line) => `  ${line}`)];
}

/** The name in the call is the model's choice; where it leads is what is read or written. */
function formatTarget({ path, linked, foreign }: CallPreview, columns: number): readonly string[] {
  if (path === undefined || !(linked || foreign)) return [];
  return indentText(formatRealPath(escapeForDisplay(path), foreign === true), '  ', columns);
}

/** A sentence below the call, in a style or plain. */
type Note = readonly [Style | null, string];

function notesOn(call: ToolCall, preview: CallPreview): readonly Note[] {
  const { problem, hint, taint } = preview;
  return [
    ...(problem === undefined ? [] : [['warning', formatProblem(escapeForDisplay(problem))] as const]),
    ...noteOnUndo(call, preview),
    ...(hint === undefined || call.effect === 'read' ? [] : [[null, SERVER_SAYS_READS] as const]),
    ...noteOnDefinition(call, preview),
    ...(taint === undefined ? [] : [['warning', toSentence(escapeForDisplay(formatTaintNote(taint)))] as const]),
  ];
}

function noteOnUndo(call: ToolCall, preview: CallPreview): readonly Note[] {
  if (preview.undoable || call.effect === 'read' || preview.decided?.class === 'read-only') return [];
  if (preview.repeated === true) return [['warning', NOT_UNDOABLE_HERE]];
  return [['warning', preview.why === undefined ? NOT_UNDOABLE : formatNotUndoable(escapeForDisplay(preview.why))]];
}

/** A server may describe a tool otherwise than the user believes. */
function noteOnDefinition({ name }: ToolCall, { definition }: CallPreview): readonly Note[] {
  if (definition === undefined) return [];
  const alias = escapeForDisplay(name.slice(0, name.indexOf('.')));
  return definition === 'moved' ? [['warning', formatMovedDefinition(alias)]] : [[null, formatUnreviewed(alias)]];
}

/** The impact estimate; no rows while there is none. */
export function formatMeasured(
  { decided }: Pick<CallPreview, 'decided'>,
  { size, theme, impact, canDryRun }: Pick<ApprovalView, 'size' | 'theme' | 'impact' | 'canDryRun'>,
): readonly string[] {
  if (impact === undefined || impact === null) return [];
  return formatChangeReport(impact, {
    columns: size.columns,
    theme,
    ...(decided === undefined ? {} : { cwd: decided.cwd, said: decided.effects ?? [] }),
    ...(canDryRun === true ? { dryRun: '[r] dry run' } : {}),
  });
}

/** The keys of the prompt. `a` is there only if a rule could apply; a call that aish cannot undo needs an approval every time. */
function offeredKeys(call: ToolCall, preview: CallPreview, folded: boolean): readonly ApprovalKey[] {
  const view: readonly ApprovalKey[] = folded ? ['v'] : [];
  if (isCommand(call)) {
    const mayAlways = (preview.decided?.proposal ?? []).length > 0;
    return ['y', 'n', ...(mayAlways ? (['a'] as const) : []), 'e', 'r', 'd', ...view];
  }
  const mayAlways =
    preview.foreign !== true &&
    preview.taint === undefined &&
    // Built-in rules that need an approval need it every time.
    preview.decided?.rule === undefined &&
    preview.definition !== 'moved' &&
    (preview.undoable || call.effect === 'read');
  return ['y', 'n', ...(mayAlways ? (['a'] as const) : []), 'd', ...view];
}

function formatKeys(call: ToolCall, keys: readonly ApprovalKey[], columns: number, theme: Theme): readonly string[] {
  const texts: Readonly<Record<ApprovalKey, string>> = formatApprovalKeys(isCommand(call), escapeForDisplay(call.name));
  return formatChoices(keys, texts, columns, theme);
}
