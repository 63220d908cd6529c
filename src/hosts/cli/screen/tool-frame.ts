import { countOutputLines } from '../../../core/context/output-excerpt.ts';
import { styled } from '../../../core/terminal/theme.ts';
import { clipText, indentText, type RowView, wrapLines, wrapProse, wrapText } from '../../../core/terminal/wrap.ts';
import { formatDuration } from '../../../core/text/duration.ts';
import { escapeForDisplay, sanitizeText } from '../../../core/text/sanitize.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { ToolCall, ToolResult } from '../../../protocol/tool.ts';
import * as messages from './messages.ts';

/** Every argument of a call on rows no wider than `width`: escaped, wrapped, complete. Texts of several lines are blocks. */
export function formatArguments(values: JsonObject, width: number, indent = '  '): readonly string[] {
  const names = Object.keys(values);
  if (names.length === 0) return [`${indent}${messages.NO_ARGUMENTS}`];
  return names.flatMap((name) => formatArgument(escapeForDisplay(name), values[name] ?? null, width, indent));
}

/**
 * A command as the shell gets it: `$` leads its first line, `|` each further line, and `¦` the rows that a long line continues in. A note
 * below names characters that the rows do not show.
 */
export function formatCommand(command: string, width: number): readonly string[] {
  const further = `  ${CONTINUATION}`;
  const block = command.includes('\n') ? readBlock(command) : null;
  const [first = '', ...others] = (block?.text ?? escapeForDisplay(command)).split('\n');
  const spaces = / *$/.exec(command.replace(/\n$/, ''))?.[0].length ?? 0;
  const notes = [
    ...(block?.notes ?? []),
    ...(spaces === 0 ? [] : [messages.formatSpacesAtEnd(spaces)]),
    ...(block?.isEnded === true ? [messages.NEWLINE_AT_END] : []),
  ];
  return [
    ...indentText(first, '  $ ', width, further),
    ...others.flatMap((line) => indentText(line, '  | ', width, further)),
    ...(notes.length === 0 ? [] : wrapProse(`(${notes.join(', ')})`, width)),
  ];
}

/** Leads the rows that a long line continues in: not a line, an argument or shell syntax. */
const CONTINUATION = '¦ ';

function formatArgument(name: string, value: Json, width: number, indent: string): readonly string[] {
  const further = `${indent}${CONTINUATION}`;
  if (typeof value === 'string' && value.includes('\n')) {
    const { lines, isEnded, notes, text } = readBlock(value);
    const about = [messages.formatLineCount(lines), ...notes, ...(isEnded ? [] : [messages.NO_NEWLINE_AT_END])];
    const head = wrapProse(`${name}: (${about.join(', ')})`, width, indent);
    return [...head, ...indentText(text, `${indent}| `, width, further)];
  }
  // The first and the last quote are not part of the text.
  if (typeof value === 'string') return indentText(`${name}: "${escapeForDisplay(value)}"`, indent, width, further);
  if (typeof value !== 'object' || value === null)
    return indentText(`${name}: ${JSON.stringify(value)}`, indent, width);
  const text = escapeForDisplay(JSON.stringify(value, null, 2), { multiline: true });
  return [...indentText(`${name}:`, indent, width), ...indentText(text, `${indent}| `, width, further)];
}

const TAB = '    ';

/** A text of several lines, ready to be shown, and notes on characters that its rows do not show. */
interface Block {
  readonly lines: number;
  readonly isEnded: boolean;
  readonly notes: readonly string[];
  readonly text: string;
}

function readBlock(value: string): Block {
  const pieces = value.split('\n');
  const isEnded = pieces.at(-1) === '';
  const lines = isEnded ? pieces.slice(0, -1) : pieces;
  const ends = pieces.length - 1;
  const isCrlf = lines.slice(0, ends).every((line) => line.endsWith('\r'));
  const shown = isCrlf ? lines.map((line, at) => (at < ends ? line.slice(0, -1) : line)) : lines;
  const text = shown.join('\n');
  // A tab shows as four spaces only if the text has no other four spaces in a row.
  const spread = text.replaceAll('\t', TAB);
  const isSpread = spread !== text && spread.replaceAll(TAB, '\t') === text;
  const notes = [...(isCrlf ? [messages.LINES_END_WITH_CRLF] : []), ...(isSpread ? [messages.TABS_AS_SPACES] : [])];
  const shownText = escapeForDisplay(isSpread ? spread : text, { multiline: true });
  return { lines: lines.length, isEnded, notes, text: shownText };
}

const HEAD_LINES = 3;

/** The frame's beginning: the call with every argument, dim and indented. */
export function formatCallStart(call: ToolCall, { columns, theme }: RowView): readonly string[] {
  const name = wrapLines(escapeForDisplay(call.name), columns - 2).map((line) => `  ${line}`);
  const rows = [...name, ...formatArguments(call.arguments, columns, '    ')];
  return rows.map((line) => styled(theme, 'dim', line));
}

/**
 * The frame's end: how it went, how long it took, and the head of what came back. A command in the sandbox ran out of sight; the output of
 * any other command is on the screen already.
 */
export function formatCallEnd(result: ToolResult, elapsedMs: number, view: RowView): readonly string[] {
  const { record, text, isError } = result;
  if (record?.sandboxed === true) {
    const [state, facts] = [formatExit(record), formatHandle(record)];
    const all = record.gap === undefined ? undefined : countOutputLines(record);
    return formatEnd({ text: record.output, all, isBad: record.exit !== 0, state, facts }, elapsedMs, view);
  }
  if (record === undefined || isError)
    return formatEnd({ text, isBad: isError, state: isError ? 'failed' : 'ok', facts: [] }, elapsedMs, view);
  const facts = [formatExit(record), ...formatHandle(record), formatDuration(elapsedMs)];
  return [styled(view.theme, 'dim', clipText(`  ${facts.join(view.theme.words ? ', ' : ' · ')}`, view.columns))];
}

interface End {
  readonly text: string;
  readonly state: string;
  readonly isBad: boolean;
  readonly facts: readonly string[];
  /** The number of lines of which the text has a part. */
  readonly all?: number | undefined;
}

function formatEnd(
  { text, state, isBad, facts, all: known }: End,
  elapsedMs: number,
  view: RowView,
): readonly string[] {
  const { columns, theme } = view;
  const lines =
    text === ''
      ? []
      : sanitizeText(text)
          .replace(/(?<!\n)\n+$/, '')
          .split('\n');
  const all = known ?? lines.length;
  const count = all === 0 ? 'no output' : `${all} ${all === 1 ? 'line' : 'lines'}`;
  const dot = theme.words ? ', ' : ' · ';
  const rest = [count, ...facts, formatDuration(elapsedMs)].map((fact) => `${dot}${fact}`).join('');
  const head = lines.slice(0, HEAD_LINES).map((line) => clipText(`    ${line.replaceAll('\t', '  ')}`, columns));
  const left = all - HEAD_LINES;
  const more = left > 0 ? [clipText(`    ${theme.words ? `and ${left} more lines` : `… ${left} more`}`, columns)] : [];
  const shown = `  ${styled(theme, isBad ? 'error' : 'ok', state)}${styled(theme, 'dim', clipText(rest, columns - state.length - 2))}`;
  return [shown, ...[...head, ...more].map((line) => styled(theme, 'dim', line))];
}

const formatExit = ({ exit }: CommandRecord): string => `exit ${exit ?? '?'}`;
const formatHandle = ({ handle }: CommandRecord): readonly string[] => (handle === undefined ? [] : [`%${handle}`]);

/** A call that did not run, with the reason; its further lines are indented more. */
export function formatCallRefused(call: ToolCall, reason: string, { columns, theme }: RowView): readonly string[] {
  const why = escapeForDisplay(reason.trimEnd(), { multiline: true }).replaceAll('\n', '\n  ');
  const rows = wrapText(`  ${escapeForDisplay(call.name)}: ${why}`, columns).split('\n');
  return rows.map((row) => styled(theme, 'warning', row));
}
