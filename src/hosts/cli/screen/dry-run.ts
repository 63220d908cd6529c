import { escapeForDisplay, sanitizeText } from '../../../core/text/sanitize.ts';
import { formatByteSize } from '../../../core/text/truncate.ts';
import type { AppliedReport, DryRunItem, DryRunReport } from '../../../protocol/change-report.ts';
import { formatEffects, formatOthers } from './change-report.ts';
import { formatChoices, formatMore, MIN_BODY, type QuestionText, type QuestionView } from './choices.ts';
import { formatDiff } from './diff.ts';
import { styled, type Theme } from './theme.ts';
import { indentText, styledProse, wrapProse } from './wrap.ts';

/** A key that answers what is to become of a dry run: apply all, choose, drop, run it for real, no, view all. */
export type DryRunKey = 'a' | 'c' | 'd' | 'y' | 'n' | 'v';

/** How it is shown. */
export interface Overlay extends QuestionView {
  /** It is the command of a call, so it can be run for real or denied. */
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

/** What a dry run came to, and what can become of it. */
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
    return { lines: [...head, ...body, ...notes, ...formatKeys(keys, columns, theme)], keys };
  }
  // The list is what is chosen from, so it has what room there is, beyond a beginning of what was printed.
  const forDetail = Math.min(detail.length, Math.max(Math.floor(room / 3), room - list.length));
  const shown = [...detail.slice(0, forDetail), ...list.slice(0, room - forDetail)];
  const left = body.length - shown.length;
  // All is applied by who has seen what all of it is.
  const isCut = list.length > room - forDetail;
  const keys: readonly DryRunKey[] = [...offeredKeys(report, view).filter((key) => !(isCut && key === 'a')), 'v'];
  const then = isCut ? ', and then a can apply them' : '';
  const lines = [...head, ...shown, ...formatMore(left, view, then), ...notes];
  return { lines: [...lines, ...formatKeys(keys, columns, theme)], keys };
}

/** What a line came to that changed no file: nothing is asked about it. */
export function formatUnchanged(report: DryRunReport, columns: number, theme: Theme): readonly string[] {
  return [
    ...formatHead(report, columns, theme),
    ...formatOutput(report, columns, theme),
    ...formatOthers(report, { theme, columns }),
  ];
}

function formatHead(report: DryRunReport, columns: number, theme: Theme): readonly string[] {
  const { record, count, way, project: cwd } = report;
  const exit = record.exit === null ? 'no exit status' : `exit ${record.exit}`;
  const changes = count === 0 ? 'no change of files' : `${count} ${count === 1 ? 'change' : 'changes'}`;
  const handle = record.handle === undefined ? '' : ` · %${record.handle}`;
  const how = way === 'overlay' ? 'on an overlay' : 'on a copy';
  const text = `dry run ${how}: ${exit} · ${changes}${handle} · the project is unchanged`;
  return [...styledProse(theme, 'bold', text, columns, ''), ...formatEffects(report, { theme, columns, cwd })];
}

function formatOutput({ record }: DryRunReport, columns: number, theme: Theme): readonly string[] {
  const text = sanitizeText(record.output).replace(/(?<!\n)\n+$/, '');
  if (text === '') return [];
  const size = record.bytes > 4096 ? ` (${formatByteSize(record.bytes)})` : '';
  return [
    styled(theme, 'dim', `  it printed${size}:`),
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
    const conflict = item.conflict === undefined ? [] : [`cannot be applied: ${item.conflict}`];
    const told = [...(item.warnings ?? []), ...conflict].flatMap((one) =>
      wrapProse(escapeForDisplay(one), columns - 4),
    );
    return [...rows, ...told.map((line) => styled(theme, 'warning', `    ${line}`))];
  });
  const rest = count - items.length;
  return rest === 0 ? lines : [...lines, `  and ${rest} more, which are applied with all`];
}

/** What has changed nothing has nothing to apply; a call is answered by that as well, so that the model reads what it printed. */
function offeredKeys({ count, items }: DryRunReport, { ofCall }: Overlay): readonly DryRunKey[] {
  const apply: readonly DryRunKey[] = count > 0 || ofCall ? ['a'] : [];
  const choose: readonly DryRunKey[] = items.length > 1 ? ['c'] : [];
  return [...apply, ...choose, 'd', ...(ofCall ? (['y', 'n'] as const) : [])];
}

function formatKeys(keys: readonly DryRunKey[], columns: number, theme: Theme): readonly string[] {
  const texts: Readonly<Record<DryRunKey, string>> = {
    a: '[a]pply all',
    c: '[c]hoose some',
    d: '[d]iscard',
    y: '[y]es, run it for real',
    n: '[n]o',
    v: '[v]iew all',
  };
  return formatChoices(keys, texts, columns, theme);
}

/** What was applied, for the user. */
export function formatAppliedReport(report: AppliedReport, columns: number): readonly string[] {
  const { applied, left, conflicts } = report;
  const count = (number: number): string => `${number} ${number === 1 ? 'change' : 'changes'}`;
  const rest = left.length === 0 ? '' : `, ${left.length} left`;
  const head =
    applied.length === 0 && conflicts.length === 0 ? 'nothing to apply' : `applied ${count(applied.length)}${rest}`;
  const refused = conflicts.map(({ path, why }) => `not applied: ${escapeForDisplay(path)}: ${escapeForDisplay(why)}`);
  return [head, ...refused].flatMap((line) => wrapProse(line, columns));
}

/** The numbers of a typed list such as `1 3-5`; null where it is none, or names one that is not there. */
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
