import {
  describeAmount,
  describeEffect,
  formatNumber,
  isNamed,
  isOneMove,
  nameOf,
} from '../../../core/impact/effect-words.ts';
import { formatUnexplained } from '../../../core/policy/messages.ts';
import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { ChangeReport, FileEffect } from '../../../protocol/change-report.ts';
import type { CommandEffect } from '../../../protocol/tool.ts';
import * as messages from './messages.ts';
import { type Style, styled } from './theme.ts';
import { type RowView, styledProse, wrapProse } from './wrap.ts';

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
export function formatEffects({ effects }: Pick<ChangeReport, 'effects'>, view: ReportView): readonly string[] {
  return effects.flatMap((effect) =>
    styledProse(view, styleOf(effect), messages.toSentence(describeEffect(effect, view.cwd))),
  );
}

/** Connections, unknown effects and notes of a report. */
export function formatOthers(
  { hosts, unknown, unexplained = [], notes, counting }: Omit<ChangeReport, 'effects'>,
  view: ReportView,
): readonly string[] {
  const { said = [] } = view;
  const names = hosts.map((host) => escapeForDisplay(host));
  const news = unexplained.filter((one) => !said.some((other) => isSame(one, other)));
  const open = [...new Set([...news.map(formatUnexplained), ...unknown])];
  const isKnown = said.some(({ kind }) => kind === 'network');
  const reached = messages.formatConnections(listUp(names, MOST_HOSTS), names.length, isKnown);
  const parts = listUp(
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
  return isSaid ? describeAmount(effect, cwd) : describeEffect(effect, cwd);
}

function isSame(one: CommandEffect, other: CommandEffect): boolean {
  return one.kind === other.kind && one.because === other.because && one.detail === other.detail;
}

function rowsOfNames(effect: FileEffect, { columns, cwd }: ReportView): readonly string[] {
  if (isNamed(effect) || isOneMove(effect) || effect.samples.length === 0) return [];
  const names = effect.samples.slice(0, MOST_NAMES).map((path) => nameOf(path, cwd));
  const left = effect.samples.length + (effect.unnamed ?? 0) - names.length;
  const between = effect.kind === 'moves' && names.length === 2 ? ' → ' : ', ';
  if (left === 0) return wrapProse(names.join(between), columns, '    ');
  // A moved file has two names, the old one and the new one.
  const more = effect.kind === 'moves' ? Math.ceil(left / 2) : left;
  const least = effect.atLeast === true ? 'at least ' : '';
  return wrapProse(`${names.join(', ')} and ${least}${formatNumber(more)} more`, columns, '    ');
}

function listUp(texts: readonly string[], most: number, between = ', '): string {
  const left = texts.length - most;
  return left > 0 ? `${texts.slice(0, most).join(between)} and ${left} more` : texts.join(between);
}

/** A change that undo cannot restore has the colour of an error, a change to existing content that of a warning. */
function styleOf({ kind, untracked, modified, ignored, large, repository, outside }: FileEffect): Style | null {
  const isLost = kind === 'deletes' || kind === 'overwrites';
  const isDear = (untracked ?? 0) + (modified ?? 0) + (ignored ?? 0) + (large ?? 0) + (repository ?? 0) > 0;
  if (isLost && (isDear || outside > 0)) return 'error';
  return isLost || outside > 0 ? 'warning' : null;
}
