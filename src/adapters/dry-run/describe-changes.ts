import { readFileSync } from 'node:fs';
import {
  type ChangeGroup,
  type EntryState,
  groupChanges,
  isSameRights,
  type PathChange,
} from '../../core/impact/change-set.ts';
import { lostOf } from '../../core/impact/effect-words.ts';
import { formatUnifiedDiff } from '../../core/text/diff.ts';
import { formatByteSize, formatCount } from '../../core/text/truncate.ts';
import type { DryRunItem, FileEffect, FileEffectKind } from '../../protocol/change-report.ts';
import { findRepository } from '../git/object-store/repository.ts';
import { readIgnored } from '../git/process/git-process.ts';
import { formatRawPath } from '../git/process/raw-path.ts';
import { LARGEST_FILE } from '../git/snapshot/snapshot-limits.ts';
import { CONFLICTS, formatGoverningFiles, formatMoreSetId, formatSetId } from './messages.ts';
import { isSameContent, type Tree } from './tree.ts';

/** So many changes are named one by one, with so much of their content; all of them can be applied. */
const MOST_ITEMS = 200;
const MOST_DIFF = 48 * 1024;
/** Larger files are told by their sizes. */
const LARGEST_TEXT = 128 * 1024;
const SHORT_OBJECT = 7;

/** The changes of a view, put together and told. */
interface Described {
  readonly groups: readonly ChangeGroup[];
  readonly items: readonly DryRunItem[];
}

interface Sides {
  readonly project: Tree;
  readonly view: Tree;
}

/** Says what a dry run would change, as users choose from it. */
export function describeChanges(
  changes: readonly PathChange[],
  sides: Sides,
  lost: ReadonlyMap<string, LostReason> = new Map(),
): Described {
  const groups = groupChanges(changes, (from, to) => isMoved(from, to, sides));
  let room = MOST_DIFF;
  const items = groups.slice(0, MOST_ITEMS).map((group, at): DryRunItem => {
    const members = group.members.flatMap((index) => changes[index] ?? []);
    const shown = group.kind === 'repository' ? members.filter(governsGit) : members;
    const diff = diffOf(shown, group, sides, room);
    room -= diff.length;
    const warnings = group.kind === 'repository' ? [] : warningsOf(members, lost);
    const conflict = members.find((change) => change.conflict !== undefined)?.conflict;
    return {
      number: at + 1,
      kind: group.kind,
      path: toName(group.path, members),
      ...(group.from === undefined ? {} : { from: formatRawPath(group.from) }),
      about: aboutOf(group, members, sides),
      ...(diff === '' ? {} : { diff }),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(conflict === undefined ? {} : { conflict: CONFLICTS[conflict] }),
    };
  });
  return { groups, items };
}

function isMoved(from: PathChange, to: PathChange, { project, view }: Sides): boolean {
  const { before } = from;
  const { after } = to;
  if (before === null || after === null) return false;
  return isSameContent({ tree: project, path: from.path, state: before }, { tree: view, path: to.path, state: after });
}

function toName(path: string, members: readonly PathChange[]): string {
  const own = members.find((change) => change.path === path);
  const isFolder = (own?.after ?? own?.before)?.kind === 'folder' || own === undefined;
  return `${formatRawPath(path)}${isFolder && path !== '' ? '/' : path === '' ? './' : ''}`;
}

function aboutOf(group: ChangeGroup, members: readonly PathChange[], sides: Sides): string {
  if (group.kind === 'repository') return aboutRepository(members, sides);
  const own = members.find(({ path }) => path === group.path);
  if (members.length > 1 && group.kind !== 'renamed') return countOf(members);
  if (own === undefined) return '';
  const { before, after } = own;
  if (group.kind === 'renamed') return members.length > 2 ? countOf(members.slice(members.length / 2)) : '';
  if ((before ?? after)?.kind === 'folder' && (before === null || after === null)) return 'empty';
  const parts = [...aboutKinds(own, sides), ...aboutStart(own), ...aboutRights(before, after)];
  return parts.length === 0 ? 'time' : parts.join(', ');
}

function aboutKinds({ path, before, after }: PathChange, { project, view }: Sides): readonly string[] {
  if (after?.kind === 'link') return [`link to ${formatRawPath(view.link(path).toString('latin1'))}`];
  if (before !== null && after !== null && before.kind !== after.kind) return [`${before.kind} becomes ${after.kind}`];
  const state = after ?? before;
  if (state === null || state.kind === 'folder') return [];
  if (state.kind !== 'file') return [state.kind];
  if (before === null || after === null) return [formatByteSize(state.size)];
  if (isSameContent({ tree: project, path, state: before }, { tree: view, path, state: after })) return [];
  const binary = readText(project, path, before) === null || readText(view, path, after) === null ? ', not shown' : '';
  return [`${formatByteSize(before.size)} → ${formatByteSize(after.size)}${binary}`];
}

/** A file that is new can be started or not; of one that was there its mode says what changed. */
function aboutStart({ before, after }: PathChange): readonly string[] {
  if (after?.kind !== 'file' || before?.kind === 'file') return [];
  return (after.mode & 0o7000) !== 0 ? [`mode ${octal(after.mode)}`] : (after.mode & 0o111) !== 0 ? ['executable'] : [];
}

function aboutRights(before: EntryState | null, after: EntryState | null): readonly string[] {
  if (before === null || after === null || isSameRights(before, after)) return [];
  const mode = before.mode === after.mode ? [] : [`mode ${octal(before.mode)} → ${octal(after.mode)}`];
  const isOwned = before.user === after.user && before.group === after.group;
  return [...mode, ...(isOwned ? [] : [`owner ${before.user}:${before.group} → ${after.user}:${after.group}`])];
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, '0');
}

function countOf(members: readonly PathChange[]): string {
  const states = members.flatMap(({ before, after }) => after ?? before ?? []);
  const files = states.filter(({ kind }) => kind !== 'folder');
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const started = members.filter(
    ({ before, after }) => before === null && after?.kind === 'file' && (after.mode & 0o111) !== 0,
  );
  const some = started.length === 0 ? '' : `, ${started.length} executable`;
  return `${formatCount(files.length, 'file')}, ${formatByteSize(bytes)}${some}`;
}

/** Describes branches and the like by the files of the repository's folder; its objects are counted. */
function aboutRepository(members: readonly PathChange[], sides: Sides): string {
  const refs = members.filter(({ path }) => /^\.git\/(?:HEAD|ORIG_HEAD|refs\/.+)$/.test(path));
  const moved = refs.flatMap((change) => {
    if ((change.after ?? change.before)?.kind !== 'file') return [];
    const from = refOf(sides.project, change.path, change.before);
    const to = refOf(sides.view, change.path, change.after);
    const name = formatRawPath(change.path.slice('.git/'.length).replace(/^refs\/(?:heads|tags|remotes)\//, ''));
    return from === to ? [] : [`${name} ${from} → ${to}`];
  });
  const governing = members.filter(governsGit).map(({ path }) => formatRawPath(path.slice('.git/'.length)));
  const rest = governing.length - MOST_GOVERNING;
  const named = [...governing.slice(0, MOST_GOVERNING), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  return [
    ...(governing.length === 0 ? [] : [formatGoverningFiles(named)]),
    ...moved,
    `${formatCount(members.length, 'path')} in .git`,
  ].join(', ');
}

/** So many of the files that govern git are named. */
const MOST_GOVERNING = 5;

/** True for a file of the repository's own folder that says what git runs, and how. */
function governsGit({ path, before, after }: PathChange): boolean {
  if ((after ?? before)?.kind === 'folder') return false;
  return /^\.git\/(?:(?:worktrees|modules)\/.+\/)?(?:config(?:\.worktree)?|commondir|hooks\/.+|info\/(?:attributes|sparse-checkout)|objects\/info\/alternates)$/.test(
    path,
  );
}

function refOf(tree: Tree, path: string, state: EntryState | null): string {
  const text = state === null ? null : readText(tree, path, state)?.trim();
  if (text === undefined || text === null) return 'none';
  return /^[0-9a-f]{40,64}$/.test(text) ? text.slice(0, SHORT_OBJECT) : text.replace(/^ref: refs\/heads\//, '');
}

function diffOf(members: readonly PathChange[], group: ChangeGroup, sides: Sides, room: number): string {
  if (group.kind === 'renamed') return '';
  let diff = '';
  for (const { path, before, after } of members) {
    const isText = (before ?? after)?.kind === 'file' && (after ?? before)?.kind === 'file';
    if (!isText || diff.length >= room) continue;
    const [from, to] = [
      before === null ? null : readText(sides.project, path, before),
      after === null ? null : readText(sides.view, path, after),
    ];
    // Nothing is shown of a file that is no text on one of its sides.
    if ((before !== null && from === null) || (after !== null && to === null)) continue;
    const one = formatUnifiedDiff({ path: formatRawPath(path), before: from, after: to });
    if (diff.length + one.length <= room) diff += one;
  }
  return diff;
}

/** The text of a file; null where it is none, too large, or cannot be read. */
function readText(tree: Tree, path: string, state: EntryState): string | null {
  if (state.kind !== 'file' || state.size > LARGEST_TEXT) return null;
  try {
    const bytes = readFileSync(tree.at(path));
    const text = bytes.toString('utf8');
    return bytes.includes(0) || text.includes('\uFFFD') ? null : text;
  } catch {
    return null;
  }
}

/** The changes of a dry run, with the parts that no checkpoint holds. */
interface Changed {
  readonly changes: readonly PathChange[];
  readonly groups: readonly ChangeGroup[];
  /** Why no checkpoint holds a path, by raw path. */
  readonly lost: ReadonlyMap<string, LostReason>;
  readonly project: string;
}

const KINDS: Readonly<Record<ChangeGroup['kind'], FileEffectKind>> = {
  created: 'creates',
  deleted: 'deletes',
  changed: 'changes',
  renamed: 'moves',
  attributes: 'changes',
  repository: 'changes',
};
const ORDER: readonly FileEffectKind[] = ['deletes', 'overwrites', 'moves', 'changes', 'creates'];
const MOST_SAMPLES = 8;

/** Counts what a dry run changed, kind by kind as an estimate does. */
export function countChanges({ changes, groups, lost, project }: Changed): readonly FileEffect[] {
  return ORDER.flatMap((kind) => {
    const own = groups.filter((group) => KINDS[group.kind] === kind);
    if (own.length === 0) return [];
    const members = own.flatMap((group) => {
      const all = group.members.flatMap((at) => changes[at] ?? []);
      // A moved file is counted at its old place.
      return group.kind === 'renamed' ? all.filter(({ before }) => before !== null) : all;
    });
    const files = members.filter(({ before, after }) => (before ?? after)?.kind !== 'folder');
    const count = (why: LostReason): number => files.filter(({ path }) => lost.get(path) === why).length;
    const repository = files.filter(({ path }) => path.startsWith('.git/')).length;
    const large = count('large');
    // A moved file has two names, the old one and the new one, as in an estimate.
    const named = own.flatMap(({ from, path }) => (kind === 'moves' && from !== undefined ? [from, path] : [path]));
    const samples = named.slice(0, MOST_SAMPLES).map((path) => `${project}/${formatRawPath(path)}`);
    const effect: FileEffect = {
      kind,
      files: files.length,
      folders: members.length - files.length,
      bytes: files.reduce((sum, { before, after }) => sum + ((before ?? after)?.size ?? 0), 0),
      untracked: null,
      ignored: count('ignored'),
      modified: null,
      ...(large > 0 ? { large } : {}),
      ...(repository > 0 ? { repository } : {}),
      outside: 0,
      samples,
      ...(named.length > samples.length ? { unnamed: named.length - samples.length } : {}),
    };
    return [effect];
  });
}

/** Why no checkpoint holds what a path was before it was changed. */
type LostReason = 'ignored' | 'large';

/** The changes that no undo brings back once they are applied. */
interface LostChanges {
  /** By raw path. */
  readonly paths: ReadonlyMap<string, LostReason>;
  /** Why nothing at all is brought back here; null where the rest of it is. */
  readonly nothing: string | null;
}

/** Finds what of the changes no undo brings back: of the project as it was, for no checkpoint holds it. */
export async function findLost(
  project: string,
  changes: readonly PathChange[],
  signal: AbortSignal,
): Promise<LostChanges> {
  const paths = new Map<string, LostReason>();
  const gone = changes.filter(({ path, before }) => before !== null && before.kind !== 'folder' && !isGitsOwn(path));
  if (gone.length === 0) return { paths, nothing: null };
  const repository = await findRepository(project, { signal });
  if ('why' in repository) return { paths, nothing: repository.why };
  for (const { path, before } of gone)
    if (before?.kind === 'file' && before.size > LARGEST_FILE) paths.set(path, 'large');
  const { place } = repository;
  const { ignored } = await readIgnored(
    { ...place, cwd: project, signal },
    gone.map(({ path }) => path),
  );
  for (const path of ignored) paths.set(path, 'ignored');
  return { paths, nothing: null };
}

/** The warnings for changes that go together: losses that no undo restores, and files that run with the rights of their owner or group. */
function warningsOf(members: readonly PathChange[], lost: ReadonlyMap<string, LostReason>): readonly string[] {
  const count = (reason: LostReason): number => members.filter(({ path }) => lost.get(path) === reason).length;
  const isOne = members.length === 1;
  const gone = lostOf({ kind: 'deletes', ignored: count('ignored'), large: count('large') }).map(
    ({ count: many, why, noUndo }) => `${isOne ? '' : `${many} `}${why} (${noUndo})`,
  );
  const handing = members.filter(({ before, after }) => grantsRights(after) && !isSameHanding(before, after));
  const rights = handing.slice(0, MOST_NAMED).map(({ path, after }) => {
    const name = isOne ? null : formatRawPath(path);
    return formatSetId(name, isUser(after) ? 'setuid' : 'setgid', after?.mode.toString(8) ?? '');
  });
  const more = handing.length - rights.length;
  return [...rights, ...(more > 0 ? [formatMoreSetId(more)] : []), ...gone];
}

const MOST_NAMED = 5;
const SETUID = 0o4000;
const SETGID = 0o2000;

/** For a folder those bits only decide the owner of new files in it. */
function grantsRights(state: EntryState | null): boolean {
  return state?.kind === 'file' && (state.mode & (SETUID | SETGID)) !== 0;
}

function isUser(state: EntryState | null): boolean {
  return state !== null && (state.mode & SETUID) !== 0;
}

/** Anyone who starts it had those rights before; another content has them anew. */
function isSameHanding(before: EntryState | null, after: EntryState | null): boolean {
  if (before === null || after === null || before.kind !== 'file') return false;
  const bits = SETUID | SETGID;
  return (before.mode & bits) === (after.mode & bits) && before.user === after.user && before.group === after.group;
}

function isGitsOwn(path: string): boolean {
  return path === '.git' || path.startsWith('.git/');
}
