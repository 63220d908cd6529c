import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { CallPreview, ToolCall } from '../../../protocol/tool.ts';
import { styled } from './theme.ts';
import type { FrameView } from './tool-frame.ts';
import { clipText, wrapProse } from './wrap.ts';

const MOST_REFUSAL_ROWS = 4;

/** Rows for a call that the gate refused without asking. */
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

/** One line for a refused call, with the reason. */
export function describeRefusal(call: Pick<ToolCall, 'name' | 'arguments'>, preview: CallPreview | undefined): string {
  const { hardDenials = [], reasons = [], rule = '' } = preview?.decided ?? {};
  const why =
    hardDenials.length === 0
      ? `by the rule "${escapeForDisplay(rule)}"`
      : escapeForDisplay(reasons[0] ?? hardDenials.join(', '));
  const what = call.name === 'aish.exec' ? String(call.arguments.command ?? '') : call.name;
  return `refused (${why}): ${escapeForDisplay(what)}`;
}
