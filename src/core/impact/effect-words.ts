import type { FileEffect, FileEffectKind } from '../../protocol/change-report.ts';
import { escapeForDisplay } from '../text/sanitize.ts';
import { formatByteSize } from '../text/truncate.ts';

/** Verbs for the effects. */
const EFFECT_VERBS: Readonly<Record<FileEffectKind, string>> = {
  deletes: 'delete',
  overwrites: 'overwrite',
  creates: 'create',
  moves: 'move',
  changes: 'change',
};

/** A number of files, and why no undo restores them. */
interface Lost {
  readonly count: number;
  readonly why: string;
  readonly noUndo: string;
}

/** The parts of an effect that no checkpoint contains: ignored files, files that are too large, and git's own files. */
export function lostOf({
  kind,
  ignored,
  large,
  repository,
}: Pick<FileEffect, 'kind' | 'ignored' | 'large' | 'repository'>): readonly Lost[] {
  if (kind === 'creates') return [];
  const lost = (count: number | null | undefined, why: string): readonly Lost[] =>
    count === null || count === undefined || count === 0
      ? []
      : [{ count, why, noUndo: `no undo brings ${count === 1 ? 'it' : 'them'} back` }];
  return [...lost(ignored, 'ignored by git'), ...lost(large, 'too large for a checkpoint'), ...lost(repository, "in git's own folder")];
}

/** Up to this many objects are named instead of counted. */
const MOST_NAMED = 3;

/** `would delete 4,812 files (1.1 GB) and 37 folders: 37 not tracked by git; 2 outside the project`. */
export function describeEffect(effect: FileEffect, cwd?: string): string {
  return `${effect.maybe === true ? 'might' : 'would'} ${EFFECT_VERBS[effect.kind]} ${describeAmount(effect, cwd)}`;
}

/** The same without its verb, if the text already names the effect. */
export function describeAmount(effect: FileEffect, cwd?: string): string {
  const { kind } = effect;
  const what = isOneMove(effect) ? describeMove(effect, cwd) : isNamed(effect) ? describeNamed(effect, cwd) : describeNumbers(effect);
  const worth = kind === 'creates' ? [] : describeWorth(effect);
  const outside = describeOutside(effect);
  if (isNamed(effect) && isOne(effect) && worth.length > 0)
    return [`${what}, which ${worth.join(' and ')}`, ...(outside === null ? [] : [outside])].join('; ');
  const details = [...(worth.length === 0 ? [] : [worth.join(', ')]), ...(outside === null ? [] : [outside])];
  return `${what}${details.length === 0 ? '' : `: ${details.join('; ')}`}`;
}

/** A single file, described by a clause instead of a count. */
function isOne({ files, folders }: FileEffect): boolean {
  return files === 1 && folders === 0;
}

/** Whether an effect moves one file or empty folder, which is described with both names. */
export function isOneMove({ kind, files, folders, samples, atLeast }: FileEffect): boolean {
  return kind === 'moves' && atLeast !== true && files + folders === 1 && samples.length === 2;
}

function describeMove(effect: FileEffect, cwd: string | undefined): string {
  const [from = '', to = ''] = effect.samples.map((path) => nameOf(path, cwd));
  return `${effect.files === 0 ? 'the folder ' : ''}${from} to ${to}${describeSize(effect)}`;
}

/** Whether all objects of an effect are named, so that no count is needed. */
export function isNamed({ files, folders, samples, atLeast }: FileEffect): boolean {
  return atLeast !== true && samples.length <= MOST_NAMED && samples.length === files + folders;
}

function describeNamed(effect: FileEffect, cwd: string | undefined): string {
  const folder = effect.files === 0 ? (effect.folders === 1 ? 'the folder ' : 'the folders ') : '';
  return `${folder}${effect.samples.map((path) => nameOf(path, cwd)).join(', ')}${describeSize(effect)}`;
}

function describeNumbers(effect: FileEffect): string {
  const { files, folders, atLeast } = effect;
  const counted = [
    ...(files > 0 || folders === 0 ? [`${countOf(files, 'file')}${describeSize(effect)}`] : []),
    ...(folders > 0 ? [countOf(folders, 'folder')] : []),
  ];
  return `${atLeast === true ? 'at least ' : ''}${counted.join(' and ')}`;
}

/** The size is irrelevant if only the mode changes, or for new files. */
function describeSize({ kind, files, bytes, bytesAtLeast }: FileEffect): string {
  if (files === 0 || kind === 'changes' || (kind === 'creates' && bytes === 0)) return '';
  return ` (${bytesAtLeast === true ? 'at least ' : ''}${formatByteSize(bytes)})`;
}

/** Changes since the last commit. An undo restores all of them except content that no checkpoint contains. */
function describeWorth(effect: FileEffect): readonly string[] {
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

function describeOutside({ outside, files, folders, atLeast }: FileEffect): string | null {
  if (outside === 0) return null;
  if (outside === files + folders && atLeast !== true) return `${outside === 1 ? '' : 'all of it '}outside the project`;
  return `${formatNumber(outside)} outside the project`;
}

/** A name relative to the command's directory, quoted if it could be read as several. */
export function nameOf(path: string, cwd: string | undefined): string {
  const isBelow = cwd !== undefined && path.startsWith(`${cwd.replace(/\/$/, '')}/`);
  const name = escapeForDisplay(isBelow ? path.slice(cwd.replace(/\/$/, '').length + 1) : path);
  return /[\s,;:]/.test(name) ? `"${name}"` : name;
}

function countOf(count: number, what: string): string {
  return `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** A number with commas. */
export function formatNumber(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
