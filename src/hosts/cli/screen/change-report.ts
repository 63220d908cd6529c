import * as words from '../../../core/impact/effect-words.ts';
import { formatUnexplained } from '../../../core/policy/messages.ts';
import { type Style, styled } from '../../../core/terminal/theme.ts';
import { indentText, type RowView, styledProse, wrapProse } from '../../../core/terminal/wrap.ts';
import { escapeForDisplay, sanitizeText } from '../../../core/text/sanitize.ts';
import { formatByteSize, nameSome } from '../../../core/text/truncate.ts';
import type {
  AppliedReport,
  ChangeReport,
  DryRunItem,
  DryRunReport,
  FileEffect,
} from '../../../protocol/change-report.ts';
import type { CommandEffect } from '../../../protocol/tool.ts';
import { formatChoices, formatMore, MIN_BODY, type QuestionText, type QuestionView } from './choices.ts';
import { formatIndentedDiff } from './diff.ts';
import * as messages from './messages.ts';

/** How a report is shown: paths below `cwd` are relative to it. */
interface ReportView extends RowView {
  readonly cwd?: string;
  /** How to start a dry run, which may show effects that the estimate does not know. */
  readonly dryRun?: string;
  /** Effects of the command that stand above the report: it adds only what they leave open. */
  readonly said?: readonly CommandEffect[];
}

/** So many names stand beside a number, and so many hosts and unknown parts in a row. */
const MOST_NAMES = 4;
const MOST_HOSTS = 8;
const MOST_UNKNOWN = 6;

/** The changes that a command would make: effects on files, connections, and unknown effects. */
export function formatChangeReport(report: ChangeReport, view: ReportView): readonly string[] {
  const { effects, hosts, unknown, unexplained = [], notes, counting } = report;
  const isNothing = effects.length + hosts.length + unknown.length + unexplained.length + notes.length === 0;
  if (isNothing && counting !== true) return styledProse(view, 'dim', messages.CHANGES_NOTHING);
  const rows = [
    ...effects.flatMap((effect) => [
      ...styledProse(view, styleOf(effect), messages.toSentence(describe(effect, view))),
      ...rowsOfNames(effect, view).map((row) => styled(view.theme, 'dim', row)),
    ]),
    ...formatOthers(report, view),
  ];
  return rows.length > 0 ? rows : styledProse(view, 'dim', messages.formatNothingMore(view.dryRun));
}

/** The changes of a dry run, kind by kind; each change has a row of its own elsewhere. */
function formatEffects({ effects }: Pick<ChangeReport, 'effects'>, view: ReportView): readonly string[] {
  return effects.flatMap((effect) =>
    styledProse(view, styleOf(effect), messages.toSentence(words.describeEffect(effect, view.cwd))),
  );
}

/** Connections, unknown effects and notes of a report. */
function formatOthers(
  { hosts, unknown, unexplained = [], notes, counting }: Omit<ChangeReport, 'effects'>,
  view: ReportView,
): readonly string[] {
  const { said = [] } = view;
  const names = hosts.map((host) => escapeForDisplay(host));
  const news = unexplained.filter((one) => !said.some((other) => isSame(one, other)));
  const open = [...new Set([...news.map(formatUnexplained), ...unknown])];
  const isKnown = said.some(({ kind }) => kind === 'network');
  const reached = messages.formatConnections(nameSome(names, MOST_HOSTS), names.length, isKnown);
  const parts = nameSome(
    open.map((one) => escapeForDisplay(one)),
    MOST_UNKNOWN,
    '; ',
  );
  return [
    ...(names.length === 0 ? [] : styledProse(view, 'warning', reached)),
    ...(open.length === 0 ? [] : styledProse(view, 'warning', messages.formatUnknownEffects(parts, view.dryRun))),
    ...notes.flatMap((note) => styledProse(view, 'dim', messages.toSentence(escapeForDisplay(note)))),
    ...(counting === true ? styledProse(view, 'dim', messages.STILL_COUNTING) : []),
  ];
}

/** An effect with its verb, unless the verb stands above for all of its paths. */
function describe(effect: FileEffect, { cwd, said = [] }: ReportView): string {
  const deleted = new Set(
    said.flatMap(({ kind, because, path }) => (kind === 'destroys' && because === 'path' ? path : [])),
  );
  const isSaid =
    effect.kind === 'deletes' && effect.samples.length > 0 && effect.samples.every((path) => deleted.has(path));
  return isSaid ? words.describeAmount(effect, cwd) : words.describeEffect(effect, cwd);
}

function isSame(one: CommandEffect, other: CommandEffect): boolean {
  return one.kind === other.kind && one.because === other.because && one.detail === other.detail;
}

function rowsOfNames(effect: FileEffect, { columns, cwd }: ReportView): readonly string[] {
  if (words.isNamed(effect) || words.isOneMove(effect) || effect.samples.length === 0) return [];
  const names = effect.samples.slice(0, MOST_NAMES).map((path) => words.nameOf(path, cwd));
  const left = effect.samples.length + (effect.unnamed ?? 0) - names.length;
  const between = effect.kind === 'moves' && names.length === 2 ? ' → ' : ', ';
  if (left === 0) return wrapProse(names.join(between), columns, '    ');
  // A moved file has two names, the old one and the new one.
  const more = effect.kind === 'moves' ? Math.ceil(left / 2) : left;
  const least = effect.atLeast === true ? 'at least ' : '';
  return wrapProse(`${names.join(', ')} and ${least}${words.formatNumber(more)} more`, columns, '    ');
}

/** A change that undo cannot restore has the colour of an error, a change to existing content that of a warning. */
function styleOf({ kind, untracked, modified, ignored, large, repository, outside }: FileEffect): Style | null {
  const isLost = kind === 'deletes' || kind === 'overwrites';
  const isDear = (untracked ?? 0) + (modified ?? 0) + (ignored ?? 0) + (large ?? 0) + (repository ?? 0) > 0;
  if (isLost && (isDear || outside > 0)) return 'error';
  return isLost || outside > 0 ? 'warning' : null;
}

/** A key of the prompt of a dry run: apply all, choose, discard, run it for real, no, view all. */
export type DryRunKey = 'a' | 'c' | 'd' | 'y' | 'n' | 'v';

/** How the prompt is shown. */
interface Overlay extends QuestionView {
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
  const head = formatHead(report, view);
  const list = formatItems(report, view);
  const detail = [
    ...formatOutput(report, view),
    ...report.items.flatMap(({ diff }) => (diff === undefined ? [] : formatIndentedDiff(diff, view))),
  ];
  const notes = formatOthers(report, view);
  const offered = offeredKeys(report, view);
  const labels = report.count > 0 ? messages.DRY_RUN_KEYS : { ...messages.DRY_RUN_KEYS, a: messages.USE_RESULT };
  const room = Math.max(MIN_BODY, view.rows - head.length - notes.length - 4);
  const close = (body: readonly string[], keys: readonly DryRunKey[]) => {
    return { lines: [...head, ...body, ...notes, ...formatChoices(keys, labels, view)], keys };
  };
  if (view.all || detail.length + list.length <= room) return close([...detail, ...list], offered);
  // The user chooses from the list, so it gets all rows but a third, which is for the head of the output.
  const forDetail = Math.min(detail.length, Math.max(Math.floor(room / 3), room - list.length));
  const shown = [...detail.slice(0, forDetail), ...list.slice(0, room - forDetail)];
  const left = detail.length + list.length - shown.length;
  // A user applies all changes only after all of them were on the screen.
  const isCut = list.length > room - forDetail;
  const keys: readonly DryRunKey[] = [...offered.filter((key) => !(isCut && key === 'a')), 'v'];
  return close([...shown, ...formatMore(left, view, isCut ? messages.THEN_APPLY : '')], keys);
}

/** The result of a dry run that changed no file, so that it needs no prompt. */
export function formatUnchanged(report: DryRunReport, view: RowView): readonly string[] {
  return [...formatHead(report, view), ...formatOutput(report, view), ...formatOthers(report, view)];
}

function formatHead(report: DryRunReport, view: RowView): readonly string[] {
  const { record, count, project: cwd } = report;
  const text = messages.formatDryRunHead(record.exit, count, record.handle);
  return [...styledProse(view, 'bold', text, ''), ...formatEffects(report, { ...view, cwd })];
}

function formatOutput({ record }: DryRunReport, { columns, theme }: RowView): readonly string[] {
  const text = sanitizeText(record.output).replace(/(?<!\n)\n+$/, '');
  if (text === '') return [];
  const size = record.bytes > 4096 ? formatByteSize(record.bytes) : null;
  return [
    styled(theme, 'dim', `  ${messages.formatOutputTitle(size)}`),
    ...text.split('\n').flatMap((line) => indentText(line, '    ', columns)),
  ];
}

function formatItems({ items, count }: DryRunReport, { columns, theme }: RowView): readonly string[] {
  const width = String(items.length).length;
  const lines = items.flatMap((item) => {
    const from = item.from === undefined ? '' : `${escapeForDisplay(item.from)} → `;
    const about = item.about === '' ? '' : `  (${escapeForDisplay(item.about)})`;
    const head = `${String(item.number).padStart(width)}  ${KINDS[item.kind].padEnd(KIND_WIDTH)}  `;
    const rows = indentText(`${head}${from}${escapeForDisplay(item.path)}${about}`, '  ', columns);
    const conflict = item.conflict === undefined ? [] : [messages.formatInapplicable(item.conflict)];
    const notes = [...(item.warnings ?? []), ...conflict].flatMap((one) =>
      wrapProse(escapeForDisplay(one), columns - 4).map((line) => styled(theme, 'warning', `    ${line}`)),
    );
    return [...rows, ...notes];
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
  const parts = text.split(/[\s,]+/).filter((word) => word !== '');
  const chosen = new Set<number>();
  for (const word of parts) {
    const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(word) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || first < 1 || last > count || last < first) return null;
    for (let number = first; number <= last; number += 1) chosen.add(number);
  }
  return chosen.size === 0 ? null : [...chosen].sort((one, other) => one - other);
}
