import { EFFECT_VERBS, lostOf, TAKES_LONGER } from '../../../core/blast/effect-words.ts';
import { formatByteSize } from '../../../core/byte-size.ts';
import { escapeForDisplay } from '../../../core/sanitize.ts';
import type { BlastEffect, BlastRadius } from '../../../protocol/blast-radius.ts';
import { foldProse } from './fold.ts';
import { type Look, styled } from './theme.ts';
import type { FrameView } from './tool-frame.ts';

/** How a blast radius is shown: names below `cwd` are shown from there. */
export interface BlastView extends FrameView {
  readonly cwd?: string;
}

/** So few things are named in place of their number. */
const MOST_NAMED = 3;
/** So many names stand beside a number, and so many hosts and unknowns in a row. */
const MOST_NAMES = 4;
const MOST_HOSTS = 8;
const MOST_UNKNOWN = 6;

/** What a command would touch, as people say it: what it does to files, which machines it reaches, what nobody can tell. */
export function formatBlast(
  { effects, hosts, unknown, notes, counting }: BlastRadius,
  view: BlastView,
): readonly string[] {
  const rows = (text: string, look: Look | null): readonly string[] =>
    foldProse(text, view.columns).map((row) => (look === null ? row : styled(view.theme, look, row)));
  // What is still counted is not called unknown: the row would stay on the screen when it is known.
  const lost = counting === true ? unknown.filter((what) => !what.endsWith(TAKES_LONGER)) : unknown;
  const isNothing = effects.length + hosts.length + unknown.length + notes.length === 0;
  if (isNothing && counting !== true) return rows('would change nothing', 'dim');
  return [
    ...effects.flatMap((effect) => [
      ...rows(describeEffect(effect, view.cwd), lookOf(effect)),
      ...rowsOfNames(effect, view).map((row) => styled(view.theme, 'dim', row)),
    ]),
    ...(hosts.length === 0
      ? []
      : rows(
          `reaches ${listUp(
            hosts.map((host) => escapeForDisplay(host)),
            MOST_HOSTS,
          )}`,
          'warning',
        )),
    ...(lost.length === 0 ? [] : rows(describeUnknown(lost), 'warning')),
    ...notes.flatMap((note) => rows(escapeForDisplay(note), 'dim')),
    ...(counting === true ? rows('counting on; what that comes to follows', 'dim') : []),
  ];
}

/** `would delete 4,812 files (1.1 GB) and 37 folders: 37 not tracked by git; 2 outside the project`. */
function describeEffect(effect: BlastEffect, cwd: string | undefined): string {
  const { kind, maybe } = effect;
  const what = isNamed(effect) ? describeNamed(effect, cwd) : describeNumbers(effect);
  const worth = kind === 'creates' ? [] : describeWorth(effect);
  const outside = describeOutside(effect);
  const verb = `${maybe === true ? 'might' : 'would'} ${EFFECT_VERBS[kind]}`;
  if (isNamed(effect) && isOne(effect) && worth.length > 0)
    return [`${verb} ${what}, which ${worth.join(' and ')}`, ...(outside === null ? [] : [outside])].join('; ');
  const details = [...(worth.length === 0 ? [] : [worth.join(', ')]), ...(outside === null ? [] : [outside])];
  return `${verb} ${what}${details.length === 0 ? '' : `: ${details.join('; ')}`}`;
}

/** One file and nothing else: what is said of it is a clause and no count. */
function isOne({ files, folders }: BlastEffect): boolean {
  return files === 1 && folders === 0;
}

/** Few things, each of which has its name here, are not counted out. */
function isNamed({ files, folders, samples, atLeast }: BlastEffect): boolean {
  return atLeast !== true && samples.length <= MOST_NAMED && samples.length === files + folders;
}

function describeNamed(effect: BlastEffect, cwd: string | undefined): string {
  const folder = effect.files === 0 ? (effect.folders === 1 ? 'the folder ' : 'the folders ') : '';
  return `${folder}${effect.samples.map((path) => nameOf(path, cwd)).join(', ')}${describeSize(effect)}`;
}

function describeNumbers(effect: BlastEffect): string {
  const { files, folders, atLeast } = effect;
  const counted = [
    ...(files > 0 || folders === 0 ? [`${countOf(files, 'file')}${describeSize(effect)}`] : []),
    ...(folders > 0 ? [countOf(folders, 'folder')] : []),
  ];
  return `${atLeast === true ? 'at least ' : ''}${counted.join(' and ')}`;
}

/** Where only the mode changes the size says nothing, nor where nothing is there yet. */
function describeSize({ kind, files, bytes, bytesAtLeast }: BlastEffect): string {
  if (files === 0 || kind === 'changes' || (kind === 'creates' && bytes === 0)) return '';
  return ` (${bytesAtLeast === true ? 'at least ' : ''}${formatByteSize(bytes)})`;
}

/** What the last commit does not have. An undo brings all of it back but what no checkpoint holds. */
function describeWorth(effect: BlastEffect): readonly string[] {
  const { untracked, modified } = effect;
  const isClause = isNamed(effect) && isOne(effect);
  const say = (count: number | null, what: string, clause: string): readonly string[] => {
    if (count === null || count === 0) return [];
    return [isClause ? clause : effect.files === 1 && count === 1 ? what : `${formatNumber(count)} ${what}`];
  };
  return [
    ...lostOf(effect).flatMap(({ count, why, noUndo }) => say(count, `${why} (${noUndo})`, `is ${why} (${noUndo})`)),
    ...say(untracked, 'not tracked by git', 'is not tracked by git'),
    ...say(modified, 'changed since the last commit', 'changed since the last commit'),
  ];
}

function describeOutside({ outside, files, folders, atLeast }: BlastEffect): string | null {
  if (outside === 0) return null;
  if (outside === files + folders && atLeast !== true) return `${outside === 1 ? '' : 'all of it '}outside the project`;
  return `${formatNumber(outside)} outside the project`;
}

/** Beside a number stand some of the names it counts. */
function rowsOfNames(effect: BlastEffect, { columns, cwd }: BlastView): readonly string[] {
  if (isNamed(effect) || effect.samples.length === 0) return [];
  const names = effect.samples.slice(0, MOST_NAMES).map((path) => nameOf(path, cwd));
  const left = effect.samples.length + (effect.unnamed ?? 0) - names.length;
  if (left === 0) return foldProse(names.join(', '), columns, '    ');
  // What is moved is named twice, from where and to where.
  const more = effect.kind === 'moves' ? Math.ceil(left / 2) : left;
  const least = effect.atLeast === true ? 'at least ' : '';
  return foldProse(`${names.join(', ')} and ${least}${formatNumber(more)} more`, columns, '    ');
}

/** A name from the directory of the command on, in quotes where it could pass for more than one. */
function nameOf(path: string, cwd: string | undefined): string {
  const isBelow = cwd !== undefined && path.startsWith(`${cwd.replace(/\/$/, '')}/`);
  const name = escapeForDisplay(isBelow ? path.slice(cwd.replace(/\/$/, '').length + 1) : path);
  return /[\s,;:]/.test(name) ? `"${name}"` : name;
}

function describeUnknown(unknown: readonly string[]): string {
  return `not known: ${listUp(
    unknown.map((what) => escapeForDisplay(what)),
    MOST_UNKNOWN,
    '; ',
  )}`;
}

function listUp(texts: readonly string[], most: number, between = ', '): string {
  const left = texts.length - most;
  return left > 0 ? `${texts.slice(0, most).join(between)} and ${left} more` : texts.join(between);
}

/** What cannot be had back is an error's colour, what changes what is there a warning's. */
function lookOf({ kind, untracked, modified, ignored, large, repository, outside }: BlastEffect): Look | null {
  const isLost = kind === 'deletes' || kind === 'overwrites';
  const isDear = (untracked ?? 0) + (modified ?? 0) + (ignored ?? 0) + (large ?? 0) + (repository ?? 0) > 0;
  if (isLost && (isDear || outside > 0)) return 'error';
  return isLost || outside > 0 ? 'warning' : null;
}

function countOf(count: number, what: string): string {
  return `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;
}

function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
