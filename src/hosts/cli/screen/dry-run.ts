import { escapeForDisplay, sanitizeText } from '../../../core/text/sanitize.ts';
import { formatByteSize } from '../../../core/text/truncate.ts';
import type { AppliedReport, DryRunItem, DryRunReport } from '../../../protocol/change-report.ts';
import { formatEffects, formatOthers } from './change-report.ts';
import { formatChoices, formatMore, MIN_BODY, type QuestionText, type QuestionView } from './choices.ts';
import { formatDiff } from './diff.ts';
import * as messages from './messages.ts';
import { styled, type Theme } from './theme.ts';
import { indentText, styledProse, wrapProse } from './wrap.ts';

/** A key of the prompt of a dry run: apply all, choose, discard, run it for real, no, view all. */
export type DryRunKey = 'a' | 'c' | 'd' | 'y' | 'n' | 'v';

/** How the prompt is shown. */
export interface Overlay extends QuestionView {
  /** The command belongs to a call, so the user can run it for real or deny it. */
  readonly ofCall: boolean;
}

const KINDS: Readonly<Record<DryRunItem['kind'], string>> = {
  created: 'created',
  deleted: 'deleted',
  changed: 'changed',
  renamed: 'renamed',
  attributes: 'changed',
  repository: 'changed',
};
const KIND_WIDTH = 7;

/** The prompt of a dry run: its result, and the keys. */
export function formatDryRun(report: DryRunReport, view: Overlay): QuestionText<DryRunKey> {
  const { size, theme } = view;
  const { columns, rows } = size;
  const head = formatHead(report, columns, theme);
  const list = formatItems(report, columns, theme);
  const detail = [...formatOutput(report, columns, theme), ...formatDiffs(report, columns, theme)];
  const notes = formatOthers(report, { theme, columns });
  const body = [...detail, ...list];
  const room = Math.max(MIN_BODY, rows - head.length - notes.length - 4);
  if (view.all || body.length <= room) {
    const keys = offeredKeys(report, view);
    return { lines: [...head, ...body, ...notes, ...formatChoices(keys, messages.DRY_RUN_KEYS, columns, theme)], keys };
  }
  // The user chooses from the list, so it gets all rows but a third, which is for the head of the output.
  const forDetail = Math.min(detail.length, Math.max(Math.floor(room / 3), room - list.length));
  const shown = [...detail.slice(0, forDetail), ...list.slice(0, room - forDetail)];
  const left = body.length - shown.length;
  // A user applies all changes only after all of them were on the screen.
  const isCut = list.length > room - forDetail;
  const keys: readonly DryRunKey[] = [...offeredKeys(report, view).filter((key) => !(isCut && key === 'a')), 'v'];
  const lines = [...head, ...shown, ...formatMore(left, view, isCut ? messages.THEN_APPLY : ''), ...notes];
  return { lines: [...lines, ...formatChoices(keys, messages.DRY_RUN_KEYS, columns, theme)], keys };
}

/** The result of a dry run that changed no file, so that it needs no prompt. */
export function formatUnchanged(report: DryRunReport, columns: number, theme: Theme): readonly string[] {
  return [
    ...formatHead(report, columns, theme),
    ...formatOutput(report, columns, theme),
    ...formatOthers(report, { theme, columns }),
  ];
}

function formatHead(report: DryRunReport, columns: number, theme: Theme): readonly string[] {
  const { record, count, project: cwd } = report;
  const text = messages.formatDryRunHead(record.exit, count, record.handle);
  return [...styledProse(theme, 'bold', text, columns, ''), ...formatEffects(report, { theme, columns, cwd })];
}

function formatOutput({ record }: DryRunReport, columns: number, theme: Theme): readonly string[] {
  const text = sanitizeText(record.output).replace(/(?<!\n)\n+$/, '');
  if (text === '') return [];
  const size = record.bytes > 4096 ? formatByteSize(record.bytes) : null;
  return [
    styled(theme, 'dim', `  ${messages.formatOutputTitle(size)}`),
    ...text.split('\n').flatMap((line) => indentText(line, '    ', columns)),
  ];
}

function formatDiffs({ items }: DryRunReport, columns: number, theme: Theme): readonly string[] {
  return items.flatMap(({ diff }) =>
    diff === undefined ? [] : formatDiff(diff, columns - 2, theme).map((line) => `  ${line}`),
  );
}

function formatItems({ items, count }: DryRunReport, columns: number, theme: Theme): readonly string[] {
  const width = String(items.length).length;
  const lines = items.flatMap((item) => {
    const from = item.from === undefined ? '' : `${escapeForDisplay(item.from)} → `;
    const about = item.about === '' ? '' : `  (${escapeForDisplay(item.about)})`;
    const head = `${String(item.number).padStart(width)}  ${KINDS[item.kind].padEnd(KIND_WIDTH)}  `;
    const rows = indentText(`${head}${from}${escapeForDisplay(item.path)}${about}`, '  ', columns);
    const conflict = item.conflict === undefined ? [] : [messages.formatInapplicable(item.conflict)];
    const notes = [...(item.warnings ?? []), ...conflict].flatMap((one) =>
      wrapProse(escapeForDisplay(one), columns - 4),
    );
    return [...rows, ...notes.map((line) => styled(theme, 'warning', `    ${line}`))];
  });
  const rest = count - items.length;
  return rest === 0 ? lines : [...lines, `  ${messages.formatMoreChanges(rest)}`];
}

/** Without changes there is nothing to apply. For a call `a` is a key all the same: then the model reads the output. */
function offeredKeys({ count, items }: DryRunReport, { ofCall }: Overlay): readonly DryRunKey[] {
  const apply: readonly DryRunKey[] = count > 0 || ofCall ? ['a'] : [];
  const choose: readonly DryRunKey[] = items.length > 1 ? ['c'] : [];
  return [...apply, ...choose, 'd', ...(ofCall ? (['y', 'n'] as const) : [])];
}

/** The report of the applied changes. */
export function formatAppliedReport(report: AppliedReport, columns: number): readonly string[] {
  const { applied, left, conflicts } = report;
  const isNothing = applied.length === 0 && conflicts.length === 0;
  const head = isNothing ? messages.NOTHING_APPLIED : messages.formatApplied(applied.length, left.length);
  const refused = conflicts.map(({ path, why }) =>
    messages.formatNotApplied(escapeForDisplay(path), escapeForDisplay(why)),
  );
  return [head, ...refused].flatMap((line) => wrapProse(line, columns));
}

/** The numbers of a typed list such as `1 3-5`; null for another text, or a number above `count`. */
export function parseChoice(text: string, count: number): readonly number[] | null {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  const chosen = new Set<number>();
  for (const word of words) {
    const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(word) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || first < 1 || last > count || last < first) return null;
    for (let number = first; number <= last; number += 1) chosen.add(number);
  }
  return chosen.size === 0 ? null : [...chosen].sort((one, other) => one - other);
}
