import { isCommand } from '../../../core/policy/policy.ts';
import { formatCallTaint } from '../../../core/session/taint-state.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { ChangeReport } from '../../../protocol/change-report.ts';
import type { TerminalSize } from '../../../protocol/client.ts';
import type { CallPreview, ToolCall } from '../../../protocol/tool.ts';
import { formatArguments } from './call-arguments.ts';
import { formatChangeReport } from './change-report.ts';
import { formatChoices, type QuestionText } from './choices.ts';
import { formatDecision, formatHanded } from './command-decision.ts';
import { formatDiff } from './diff.ts';
import { type Style, styled, type Theme } from './theme.ts';
import { indentText, styledProse, wrapLines, wrapProse } from './wrap.ts';

/** A key that answers the question: yes, no, always, edit the command, dry-run it, deny with a reason, view all. */
export type ApprovalKey = 'y' | 'n' | 'a' | 'e' | 'r' | 'd' | 'v';

/** How the question is shown. `all` leaves nothing out, however long it is. */
export interface ApprovalView {
  readonly size: TerminalSize;
  readonly theme: Theme;
  readonly all?: boolean;
  /** A command can be tried on a view of the project. */
  readonly canDryRun?: boolean;
  /** What it would touch, where that is known by now. */
  readonly impact?: ChangeReport | null;
}

const MIN_BODY = 3;

/** What a user is asked before a call runs: its full name, every argument, the change it makes, and what cannot be undone. */
export function formatApproval(call: ToolCall, preview: CallPreview, view: ApprovalView): QuestionText<ApprovalKey> {
  const { columns, rows } = view.size;
  const head = formatHead(call, columns, view.theme);
  const body = [...formatArguments(call.arguments, columns), ...formatChange(preview, columns, view.theme)];
  const warning = [
    ...formatDecision(call, preview, columns, view.theme),
    ...formatHanded(preview, columns, view.theme),
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
  // What runs is approved by who has seen all of it: the last line of a long command may be the one that matters.
  const mustView = isCommand(call);
  const offered: readonly ApprovalKey[] = [
    ...keys.filter((key) => key !== 'v' && !(mustView && (key === 'y' || key === 'a'))),
    'v',
  ];
  const more = `… v shows all ${body.length} lines${mustView ? ', and then y can run it' : ''}`;
  const fold = styledProse(view.theme, 'warning', more, columns);
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
  const asks = call.origin === 'command-line' ? 'the answer proposes' : 'the model asks for';
  const name = escapeForDisplay(call.name);
  const whole = wrapLines(`${asks} ${name}`, columns);
  const question = whole.length === 1 ? whole : [...wrapProse(asks, columns, ''), ...indentText(name, '  ', columns)];
  return question.map((line) => styled(theme, 'bold', line));
}

/** A new file has no diff worth showing: its content stands among the arguments already. */
function formatChange(preview: CallPreview, columns: number, theme: Theme): readonly string[] {
  const really = formatRealPath(preview, columns);
  if (preview.diff === undefined || preview.diff === '') return really;
  if (preview.diff.startsWith('--- /dev/null\n') && preview.path !== undefined)
    return indentText(`creates ${escapeForDisplay(preview.path)}`, '  ', columns);
  return [...really, '  change:', ...formatDiff(preview.diff, columns - 2, theme).map((line) => `  ${line}`)];
}

/** The name in the call is the model's choice; where it leads is what is read or written. */
function formatRealPath({ path, linked, foreign }: CallPreview, columns: number): readonly string[] {
  if (path === undefined || !(linked || foreign)) return [];
  const where = foreign ? ' (outside of the work tree)' : '';
  return indentText(`really: ${escapeForDisplay(path)}${where}`, '  ', columns);
}

/** A line beside the call, in a look or plain. */
type Note = readonly [Style | null, string];

/** What a user must know who says yes, beyond what the command does. */
function notesOn(call: ToolCall, preview: CallPreview): readonly Note[] {
  const { problem, hint, taint } = preview;
  return [
    ...(problem === undefined ? [] : [['warning', `it would fail: ${escapeForDisplay(problem)}`] as const]),
    ...noteOnUndo(call, preview),
    ...(hint === undefined || call.effect === 'read' ? [] : [[null, 'the tool says that it only reads'] as const]),
    ...noteOnDefinition(call, preview),
    // Who reads a question that a rule should have spared must learn what was in its way.
    ...(taint === undefined ? [] : [['warning', escapeForDisplay(formatCallTaint(taint))] as const]),
  ];
}

function noteOnUndo(call: ToolCall, preview: CallPreview): readonly Note[] {
  if (preview.undoable || call.effect === 'read' || preview.decided?.class === 'read-only') return [];
  const what = call.effect === 'exec' ? 'what this command does cannot be undone' : 'this write cannot be undone';
  const reason = preview.why === undefined ? '' : `: ${escapeForDisplay(preview.why)}`;
  return [['warning', `${what}${preview.repeated === true ? ' here, as told before' : reason}`]];
}

/** The arguments are shown; what the model took the tool for is what its server says of it. */
function noteOnDefinition({ name }: ToolCall, { definition }: CallPreview): readonly Note[] {
  if (definition === undefined) return [];
  const show = `:mcp review ${escapeForDisplay(name.slice(0, name.indexOf('.')))} shows it`;
  return definition === 'moved'
    ? [['warning', `the tool is not what it was when a rule for its server began to hold; ${show}`]]
    : [[null, `nobody has reviewed what this server says of its tools; ${show}`]];
}

/** What it would change; nothing as long as there is no report. */
export function formatMeasured(
  { decided }: Pick<CallPreview, 'decided'>,
  { size, theme, impact, canDryRun }: Pick<ApprovalView, 'size' | 'theme' | 'impact' | 'canDryRun'>,
): readonly string[] {
  if (impact === undefined || impact === null) return [];
  return formatChangeReport(impact, {
    columns: size.columns,
    theme,
    ...(decided === undefined ? {} : { cwd: decided.cwd }),
    ...(canDryRun === true ? { dryRun: '[r] dry run' } : {}),
  });
}

/** A rule is offered where one could hold; what cannot be undone is asked about every time. */
function offeredKeys(call: ToolCall, preview: CallPreview, folded: boolean): readonly ApprovalKey[] {
  const view: readonly ApprovalKey[] = folded ? ['v'] : [];
  if (isCommand(call)) {
    const mayAlways = (preview.decided?.proposal ?? []).length > 0;
    return ['y', 'n', ...(mayAlways ? (['a'] as const) : []), 'e', 'r', 'd', ...view];
  }
  const mayAlways =
    preview.foreign !== true &&
    preview.taint === undefined &&
    // What the gate asks about by a rule of its own is asked every time.
    preview.decided?.rule === undefined &&
    preview.definition !== 'moved' &&
    (preview.undoable || call.effect === 'read');
  return ['y', 'n', ...(mayAlways ? (['a'] as const) : []), 'd', ...view];
}

function formatKeys(call: ToolCall, keys: readonly ApprovalKey[], columns: number, theme: Theme): readonly string[] {
  const texts: Readonly<Record<ApprovalKey, string>> = {
    y: '[y]es once',
    n: '[n]o',
    a: isCommand(call) ? '[a]lways by this rule' : `[a]lways (${escapeForDisplay(call.name)}, this session)`,
    e: '[e]dit',
    r: '[r] dry run',
    d: '[d]eny with reason',
    v: '[v]iew all',
  };
  return formatChoices(keys, texts, columns, theme);
}
