import { textWidth } from '../../../core/terminal/graphemes.ts';
import { fitTable } from '../../../core/terminal/table.ts';
import { styled } from '../../../core/terminal/theme.ts';
import { indentText, type RowView, styledProse, wrapProse } from '../../../core/terminal/wrap.ts';
import { formatAge } from '../../../core/text/duration.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type {
  CheckpointStep,
  RestoreChoice,
  RestorePrompt,
  RestoreReport,
  StepCause,
  StepCounts,
} from '../../../protocol/checkpoint.ts';
import { formatChoices, formatMore, MIN_BODY, type QuestionText, type QuestionView } from './choices.ts';
import { formatIndentedDiff } from './diff.ts';
import * as messages from './messages.ts';
import {
  formatMoreFiles,
  formatRestoredAlready,
  formatStillOpen,
  LEFT,
  NO_CHECKPOINTS,
  REDO_RESTORES,
} from './messages.ts';

/** A key that answers for a path: keep, take, or merge; keep or take for all paths that are left; view all; give up. */
export type UndoKey = 'k' | 't' | 'm' | 'K' | 'T' | 'v' | 'g';

const CHOICES: Readonly<Partial<Record<UndoKey, RestoreChoice>>> = {
  k: 'mine',
  K: 'mine',
  t: 'theirs',
  T: 'theirs',
  m: 'merged',
};

/** The choice of a key; null for a key without a choice. */
export function choiceOf(key: UndoKey): RestoreChoice | null {
  return CHOICES[key] ?? null;
}

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

function formatSide(diff: string | undefined, title: string | null, view: RowView): readonly string[] {
  if (diff === undefined) return [];
  const head = title === null ? [] : [styled(view.theme, 'dim', `  ${title}`)];
  return [...head, ...formatIndentedDiff(diff, view)];
}

interface RestoreFacts {
  readonly checkpoint: string | null;
  readonly direction?: 'redo';
  /** The purpose of the step, and its time. */
  readonly label?: string;
  readonly stepAt?: number;
  readonly report: RestoreReport;
  /** The checkpoint that undoes it. */
  readonly undo?: string;
}

/** The time, and the width of the rows. */
interface RestoreView {
  readonly now: number;
  readonly columns?: number;
}

/** Most files that are named; more are counted. */
const MOST_LISTED = 20;

/** The result of an undo or redo, path by path, below the name of its step. */
export function formatRestore(facts: RestoreFacts, { now, columns = Number.POSITIVE_INFINITY }: RestoreView): string {
  const { direction, report, undo } = facts;
  const { restored, removed = [], kept = [], refused } = report;
  const gone = new Set(removed);
  const rows = [
    ...listSome(restored, (path) => formatRow(gone.has(path) ? 'removed' : 'restored', path, columns), columns, undo),
    ...listSome(kept, (path) => formatRow('kept', path, columns), columns),
    ...listSome(refused, ({ path, why }) => formatRow(LEFT, `${path}: ${why}`, columns), columns),
  ];
  const back = direction !== 'redo' && gone.size > 0 ? wrapProse(REDO_RESTORES, columns) : [];
  const body = rows.length > 0 ? [...rows, ...back] : formatIdle(facts).flatMap((line) => wrapProse(line, columns));
  return [...wrapProse(formatHead(facts, now), columns, ''), ...body].join('\n');
}

/** A restore without a change. The first one makes a checkpoint, so that the next undo is for another step. */
function formatIdle({ checkpoint, undo, ...facts }: RestoreFacts): readonly string[] {
  const direction = facts.direction ?? 'undo';
  const isFirst = undo !== undefined && checkpoint !== null;
  return [formatRestoredAlready(direction), ...(isFirst ? [formatStillOpen(direction, checkpoint)] : [])];
}

/** `undo c4: before $ gzip big.log (2 min ago)`: the step, so that the user notices a wrong one. */
function formatHead({ checkpoint, direction, label = '', stepAt }: RestoreFacts, now: number): string {
  const name = `${direction ?? 'undo'} ${checkpoint ?? ''}`.trim();
  const what = label === '' ? '' : `: ${escapeForDisplay(label)}`;
  return `${name}${what}${stepAt === undefined ? '' : ` (${formatAge(stepAt, now)})`}`;
}

/** A continued row is indented further, so that it cannot pass for a row of its own. */
function formatRow(done: string, text: string, columns: number): readonly string[] {
  const shown = escapeForDisplay(text);
  const row = `  ${done}  ${shown}`;
  return textWidth(row) <= columns ? [row] : [`  ${done}`, ...indentText(shown, '    ', columns)];
}

function listSome<T>(
  items: readonly T[],
  format: (item: T) => readonly string[],
  columns: number,
  undo?: string,
): readonly string[] {
  const left = items.length - MOST_LISTED;
  const shown = items.slice(0, MOST_LISTED).flatMap(format);
  if (left <= 0) return shown;
  return [...shown, ...wrapProse(formatMoreFiles(left, undo), columns)];
}

const CAUSES: Readonly<Record<StepCause, string>> = {
  tool: 'tool',
  'command-line': 'CMD: line',
  'approved-command': 'command',
  mcp: 'server',
  user: 'you',
  undo: 'undo',
  redo: 'redo',
};

/** The steps of a work tree, newest first, one a row: time, cause, counts, state, and purpose. */
export function formatTimeline(
  steps: readonly CheckpointStep[],
  now: number,
  columns = Number.POSITIVE_INFINITY,
): string {
  const listed = steps.filter((step) => !isIdle(step));
  if (listed.length === 0) return NO_CHECKPOINTS;
  return fitTable(
    listed.map((step) => [
      step.id,
      formatAge(step.at, now),
      step.of === null ? CAUSES[step.cause] : `${CAUSES[step.cause]} of ${step.of}`,
      formatCounts(step.counts),
      formatState(step),
      step.of === null ? escapeForDisplay(step.label) : '',
    ]),
    columns,
  );
}

/** True for an undo or redo that changed no file: it exists only for the choices in it. */
function isIdle({ of, counts }: CheckpointStep): boolean {
  return of !== null && counts !== null && counts.added + counts.changed + counts.removed === 0;
}

/** `+2 ~1 -3`: paths added, changed and removed; a question mark if the step has no end. */
function formatCounts(counts: StepCounts | null): string {
  if (counts === null) return '?';
  const { added, changed, removed } = counts;
  const parts = [added > 0 ? `+${added}` : '', changed > 0 ? `~${changed}` : '', removed > 0 ? `-${removed}` : ''];
  return parts.filter((part) => part !== '').join(' ') || '0';
}

function formatState({ state, counts, isAtWork }: CheckpointStep): string {
  if (state === 'undone') return 'undone';
  if (state === 'partly') return 'partly undone';
  if (isAtWork === true) return 'running';
  return counts === null ? 'unfinished' : '';
}
