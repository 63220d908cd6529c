import { escapeForDisplay, sanitizeText } from '../../../core/text/sanitize.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import type { ToolCall, ToolResult } from '../../../protocol/tool.ts';
import { formatArguments } from './call-arguments.ts';
import { styled } from './theme.ts';
import { formatDuration } from './time.ts';
import { clipText, type RowView, wrapLines, wrapText } from './wrap.ts';

const HEAD_LINES = 3;

/** The frame's beginning: the call with every argument, dim and indented. */
export function formatCallStart(call: ToolCall, { columns, theme }: RowView): readonly string[] {
  const name = wrapLines(escapeForDisplay(call.name), columns - 2).map((line) => `  ${line}`);
  const rows = [...name, ...formatArguments(call.arguments, columns, '    ')];
  return rows.map((line) => styled(theme, 'dim', line));
}

/** The frame's end: how it went, how long it took, and the head of what came back. */
export function formatCallEnd(result: ToolResult, elapsedMs: number, view: RowView): readonly string[] {
  const end = { text: result.text, isBad: result.isError, state: result.isError ? 'failed' : 'ok', facts: [] };
  return formatEnd(end, elapsedMs, view);
}

/** The end of a command that ran in the sandbox, out of sight: its status, its handle, and the head of what it printed. */
export function formatSandboxedEnd(record: CommandRecord, elapsedMs: number, view: RowView): readonly string[] {
  const [state, facts] = [formatExit(record), formatHandle(record)];
  return formatEnd({ text: record.output, isBad: record.exit !== 0, state, facts }, elapsedMs, view);
}

interface End {
  readonly text: string;
  readonly state: string;
  readonly isBad: boolean;
  readonly facts: readonly string[];
}

function formatEnd({ text, state, isBad, facts }: End, elapsedMs: number, view: RowView): readonly string[] {
  const { columns, theme } = view;
  const lines =
    text === ''
      ? []
      : sanitizeText(text)
          .replace(/(?<!\n)\n+$/, '')
          .split('\n');
  const count = lines.length === 0 ? 'no output' : `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`;
  const dot = theme.words ? ', ' : ' · ';
  const rest = [count, ...facts, formatDuration(elapsedMs)].map((fact) => `${dot}${fact}`).join('');
  const head = lines.slice(0, HEAD_LINES).map((line) => clipText(`    ${line.replaceAll('\t', '  ')}`, columns));
  const left = lines.length - HEAD_LINES;
  const more = left > 0 ? [clipText(`    ${theme.words ? `and ${left} more lines` : `… ${left} more`}`, columns)] : [];
  const shown = `  ${styled(theme, isBad ? 'error' : 'ok', state)}${styled(theme, 'dim', clipText(rest, columns - state.length - 2))}`;
  return [shown, ...[...head, ...more].map((line) => styled(theme, 'dim', line))];
}

/** The end of a command whose output is on the screen already: its status, its handle and its duration. */
export function formatCommandCallEnd(record: CommandRecord, elapsedMs: number, view: RowView): readonly string[] {
  const { columns, theme } = view;
  const facts = [formatExit(record), ...formatHandle(record), formatDuration(elapsedMs)];
  return [styled(theme, 'dim', clipText(`  ${facts.join(theme.words ? ', ' : ' · ')}`, columns))];
}

const formatExit = ({ exit }: CommandRecord): string => `exit ${exit ?? '?'}`;
const formatHandle = ({ handle }: CommandRecord): readonly string[] => (handle === undefined ? [] : [`%${handle}`]);

/** One line for a call that did not run, with the reason. */
export function formatCallRefused(call: ToolCall, reason: string, { columns, theme }: RowView): readonly string[] {
  const text = `${escapeForDisplay(call.name)}: ${escapeForDisplay(reason)}`;
  const rows = wrapText(`  ${text}`, columns).split('\n');
  return rows.map((row) => styled(theme, 'warning', row));
}
