import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { RestorePrompt } from '../../../protocol/checkpoint.ts';
import { formatChoices, formatMore, MIN_BODY, type QuestionText, type QuestionView } from './choices.ts';
import { formatDiff } from './diff.ts';
import * as messages from './messages.ts';
import { styled } from './theme.ts';
import { type RowView, styledProse, wrapProse } from './wrap.ts';

/** A key that answers for a path: keep, take, or merge; keep or take for all paths that are left; view all; give up. */
export type UndoKey = 'k' | 't' | 'm' | 'K' | 'T' | 'v' | 'g';

/** The head of the prompt of an undo or redo, above the first path. */
export function formatUndoHead(question: RestorePrompt, view: RowView): readonly string[] {
  const { direction, checkpoint, label, free, conflicts, refused } = question;
  const left = refused.length - MOST_NAMED;
  const haveChanged = conflicts.every(({ code }) => code === 'changed');
  const lines = [
    messages.formatConflicts(conflicts.length, haveChanged),
    ...(free === 0 ? [] : [messages.formatFree(free, direction)]),
    ...refused.slice(0, MOST_NAMED).map(({ path, why }) => `${messages.LEFT}: ${escapeForDisplay(`${path}: ${why}`)}`),
    ...(left > 0 ? [messages.formatMoreLeft(left)] : []),
  ];
  return [
    ...styledProse(view, 'bold', `${direction} ${checkpoint}: ${escapeForDisplay(label)}`, ''),
    ...lines.flatMap((line) => wrapProse(line, view.columns)),
  ];
}

/** Most names of files that aish cannot restore; more are counted. */
const MOST_NAMED = 20;

/** The prompt for one of the paths; `at` counts from 0. */
export function formatUndoPath(question: RestorePrompt, at: number, view: QuestionView): QuestionText<UndoKey> {
  const { conflicts, direction } = question;
  const conflict = conflicts[at];
  if (conflict === undefined) return { lines: [], keys: [] };
  const { columns, rows, all } = view;
  const { path, why, mine, theirs } = conflict;
  const title = `${at + 1} of ${conflicts.length}  ${escapeForDisplay(path)}: ${escapeForDisplay(why)}`;
  const head = [
    ...styledProse(view, 'bold', title, ''),
    ...wrapProse(messages.formatVersions(mine, theirs, direction), columns),
  ];
  const diffs = [
    ...formatSide(conflict.diff, null, view),
    ...formatSide(all ? conflict.merged : undefined, messages.MERGED_TITLE, view),
  ];
  const isMerging = conflict.choices.includes('merged');
  const left = conflicts.length - at;
  const rest = left > 1 ? (['K', 'T'] as const) : [];
  const merge = isMerging ? (['m'] as const) : [];
  const format = (keys: readonly UndoKey[]) => formatChoices(keys, messages.formatUndoKeys(direction, left), view);
  const withView: readonly UndoKey[] = ['k', 't', ...merge, 'v', ...rest, 'g'];
  const room = Math.max(MIN_BODY, rows - head.length - format(withView).length - 2);
  const isCut = !all && diffs.length > room;
  const body = isCut ? [...diffs.slice(0, room), ...formatMore(diffs.length - room, view)] : diffs;
  const keys = isCut || (!all && isMerging) ? withView : withView.filter((key) => key !== 'v');
  return { lines: [...head, ...body, ...format(keys)], keys };
}

function formatSide(diff: string | undefined, title: string | null, { columns, theme }: RowView): readonly string[] {
  if (diff === undefined) return [];
  const lines = formatDiff(diff, columns - 2, theme).map((line) => `  ${line}`);
  return title === null ? lines : [styled(theme, 'dim', `  ${title}`), ...lines];
}
