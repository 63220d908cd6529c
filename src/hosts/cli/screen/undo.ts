import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { RestoreConflict, RestorePrompt } from '../../../protocol/checkpoint.ts';
import type { TerminalSize } from '../../../protocol/client.ts';
import { formatChoices, formatMore, MIN_BODY, type QuestionText, type QuestionView } from './choices.ts';
import { formatDiff } from './diff.ts';
import { styled, type Theme } from './theme.ts';
import { styledProse, wrapProse } from './wrap.ts';

/** A key that answers for a path: keep, take the old one, merge; keep or take in all that are left; view all, give up. */
export type UndoKey = 'k' | 't' | 'm' | 'K' | 'T' | 'v' | 'g';

/** What an undo is about, before the first path is asked about. */
export function formatUndoHead(question: RestorePrompt, { columns }: TerminalSize, theme: Theme): readonly string[] {
  const { direction, checkpoint, label, free, conflicts, refused } = question;
  const count = (number: number): string => `${number} ${number === 1 ? 'file' : 'files'}`;
  const rest =
    free === 0
      ? []
      : [
          `${count(free)} nobody changed since: with your answer ${direction === 'undo' ? 'put back' : 'done again'} as well`,
        ];
  return [
    ...styledProse(theme, 'bold', `${direction} ${checkpoint}: ${escapeForDisplay(label)}`, columns, ''),
    ...wrapProse(
      `${count(conflicts.length)} ${conflicts.every(isChanged) ? 'changed since' : 'cannot just go back'}, and nothing is touched before you say what is to become of ${conflicts.length === 1 ? 'it' : 'them'}`,
      columns,
    ),
    ...rest.flatMap((line) => wrapProse(line, columns)),
    ...refused
      .slice(0, MOST_NAMED)
      .flatMap(({ path, why }) =>
        wrapProse(`left as it is: ${escapeForDisplay(path)}: ${escapeForDisplay(why)}`, columns),
      ),
    ...(refused.length > MOST_NAMED
      ? wrapProse(`and ${refused.length - MOST_NAMED} more left as they are`, columns)
      : []),
  ];
}

/** Files that no answer brings back and that are named each; more are counted. */
const MOST_NAMED = 20;

/** False where the reason is another one: it may be older than the step, say. */
function isChanged({ why }: RestoreConflict): boolean {
  return why === 'it changed since';
}

/** The question about one of the paths; `at` counts from 0. */
export function formatUndoPath(question: RestorePrompt, at: number, view: QuestionView): QuestionText<UndoKey> {
  const { conflicts, direction } = question;
  const conflict = conflicts[at];
  if (conflict === undefined) return { lines: [], keys: [] };
  const { size, all } = view;
  const head = formatConflict(conflict, `${at + 1} of ${conflicts.length}`, view);
  const diffs = [
    ...formatSide(conflict.diff, null, view),
    ...formatSide(all ? conflict.merged : undefined, 'merged it would be:', view),
  ];
  const isMerging = conflict.choices.includes('merged');
  const left = conflicts.length - at;
  const room = Math.max(MIN_BODY, size.rows - head.length - 4);
  const isCut = !all && diffs.length > room;
  const body = isCut ? [...diffs.slice(0, room), ...formatMore(diffs.length - room, view)] : diffs;
  const views = isCut || (!all && isMerging) ? (['v'] as const) : [];
  const rest = left > 1 ? (['K', 'T'] as const) : [];
  const keys: readonly UndoKey[] = ['k', 't', ...(isMerging ? (['m'] as const) : []), ...views, ...rest, 'g'];
  return { lines: [...head, ...body, ...formatKeys(keys, direction, left, view)], keys };
}

function formatConflict(conflict: RestoreConflict, place: string, { size, theme }: QuestionView): readonly string[] {
  const { columns } = size;
  const { path, why, mine, theirs } = conflict;
  return [
    ...styledProse(theme, 'bold', `${place}  ${escapeForDisplay(path)}: ${escapeForDisplay(why)}`, columns, ''),
    ...wrapProse(`there is now: ${mine}; it would be: ${theirs}`, columns),
  ];
}

function formatSide(diff: string | undefined, title: string | null, { size, theme }: QuestionView): readonly string[] {
  if (diff === undefined) return [];
  const lines = formatDiff(diff, size.columns - 2, theme).map((line) => `  ${line}`);
  return title === null ? lines : [styled(theme, 'dim', `  ${title}`), ...lines];
}

function formatKeys(
  keys: readonly UndoKey[],
  direction: RestorePrompt['direction'],
  left: number,
  { size, theme }: QuestionView,
): readonly string[] {
  const other = direction === 'undo' ? 'the old one' : "the step's";
  const texts: Readonly<Record<UndoKey, string>> = {
    k: '[k]eep what is there',
    t: `[t]ake ${other}`,
    m: '[m]erge both',
    v: '[v]iew all',
    K: `[K]eep in all ${left}`,
    T: `[T]ake in all ${left}`,
    g: '[g]ive up',
  };
  return formatChoices(keys, texts, size.columns, theme);
}
