import type { AppliedReport } from '../../protocol/change-report.ts';

/** The state of a path, without following links. */
export interface EntryState {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Permission bits. */
  readonly mode: number;
  readonly size: number;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
  readonly inode: bigint;
  readonly device: bigint;
  /** Number of hard links. */
  readonly names: number;
  readonly user: number;
  readonly group: number;
  /** Major and minor number of a device file. */
  readonly special: bigint;
}

/** A path that a dry run left unchanged. */
export interface Unchanged {
  readonly path: string;
  /** The entry in the project. */
  readonly before: EntryState | null;
}

/** Why a change cannot be applied: the file has another hard link outside the dry run, or it has changed meanwhile. */
export type ChangeConflict = 'hard-linked' | 'changed-meanwhile';

/** A path that a command changed in a dry run. Paths are raw: relative to the project, one character per byte. */
export interface PathChange {
  readonly path: string;
  readonly before: EntryState | null;
  readonly after: EntryState | null;
  /** An unchanged path with the same file. */
  readonly linkTo?: Unchanged;
  /** Why the change cannot be applied. */
  readonly conflict?: ChangeConflict;
}

/** Changes that belong together, as indexes of the original list. */
export interface ChangeGroup {
  readonly kind: 'created' | 'deleted' | 'changed' | 'renamed' | 'attributes' | 'repository';
  /** The raw path that represents them. */
  readonly path: string;
  readonly from?: string;
  readonly members: readonly number[];
}

/** Whether a path is unchanged: not written, not replaced, and with the same permissions. */
export function isUntouched(now: EntryState | null, then: EntryState | null): boolean {
  if (now === null || then === null) return now === then;
  if (now.kind !== then.kind) return false;
  // The times of a folder depend on its content, which is compared path by path.
  if (now.kind === 'folder') return now.mode === then.mode && now.user === then.user && now.group === then.group;
  return now.inode === then.inode && now.changedNs === then.changedNs && now.size === then.size;
}

/** Whether only permissions, owner or times differ. The caller has compared the content. */
export function isSameEntry(one: EntryState, other: EntryState): boolean {
  return one.kind === other.kind && isSameRights(one, other) && one.modifiedNs === other.modifiedNs;
}

export function isSameRights(one: EntryState, other: EntryState): boolean {
  return one.mode === other.mode && one.user === other.user && one.group === other.group;
}

/** Groups changes: all in a created or deleted folder, all in `.git`, and both ends of a move, for which `isMoved` compares contents. */
export function groupChanges(
  changes: readonly PathChange[],
  isMoved: (from: PathChange, to: PathChange) => boolean,
): readonly ChangeGroup[] {
  const groups = new Map<string, { kind: ChangeGroup['kind']; path: string; members: number[] }>();
  const order = changes.map((_, at) => at).sort((one, other) => compare(changes[one]?.path, changes[other]?.path));
  // Folders come before their content.
  const tops: Tops = { created: new Map(), deleted: new Map() };
  for (const at of order) {
    const change = changes[at];
    if (change === undefined) continue;
    const { path, kind } = placeOf(change, tops);
    const group = groups.get(path);
    if (group === undefined) groups.set(path, { kind, path, members: [at] });
    else group.members.push(at);
  }
  return joinMoves([...groups.values()], changes, isMoved);
}

function compare(one = '', other = ''): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

type Place = Pick<ChangeGroup, 'path' | 'kind'>;

/** Created and deleted folders, by raw path. */
type Tops = Readonly<Record<'created' | 'deleted', Map<string, Place>>>;

function placeOf({ path, before, after }: PathChange, tops: Tops): Place {
  if (path === '.git' || path.startsWith('.git/')) return { path: '.git', kind: 'repository' };
  const isGone = before !== null && before.kind !== after?.kind;
  const isNew = after !== null && before?.kind !== after.kind;
  const top = (isGone ? topOf(path, tops.deleted) : null) ?? (isNew ? topOf(path, tops.created) : null);
  if (top !== null) return top;
  const place: Place = { path, kind: kindOf(before, after) };
  if (isGone && before.kind === 'folder') tops.deleted.set(path, place);
  if (isNew && after.kind === 'folder') tops.created.set(path, place);
  return place;
}

function kindOf(before: EntryState | null, after: EntryState | null): ChangeGroup['kind'] {
  if (before === null) return 'created';
  if (after === null) return 'deleted';
  return before.kind === 'folder' && after.kind === 'folder' ? 'attributes' : 'changed';
}

function topOf(path: string, tops: ReadonlyMap<string, Place>): Place | null {
  for (let cut = path.indexOf('/'); cut > 0; cut = path.indexOf('/', cut + 1)) {
    const top = tops.get(path.slice(0, cut));
    if (top !== undefined) return top;
  }
  return null;
}

type Group = { readonly kind: ChangeGroup['kind']; readonly path: string; readonly members: readonly number[] };

/** The maximum number of groups on each side that are compared to find moves. */
const MOST_MOVES = 2000;

function joinMoves(
  groups: readonly Group[],
  changes: readonly PathChange[],
  isMoved: (from: PathChange, to: PathChange) => boolean,
): readonly ChangeGroup[] {
  const gone = new Map<string, Group[]>();
  const left = groups.filter(({ kind }) => kind === 'deleted');
  if (left.length > MOST_MOVES) return groups;
  for (const group of left) {
    const sign = signatureOf(group, changes, 'before');
    gone.set(sign, [...(gone.get(sign) ?? []), group]);
  }
  const taken = new Set<Group>();
  const joined = groups.map((group): ChangeGroup => {
    if (group.kind !== 'created') return group;
    const sign = signatureOf(group, changes, 'after');
    const from = gone.get(sign)?.find((one) => !taken.has(one) && isSameAll(one, group, changes, isMoved));
    if (from === undefined) return group;
    taken.add(from);
    return { kind: 'renamed', path: group.path, from: from.path, members: [...from.members, ...group.members] };
  });
  return joined.filter((group) => !taken.has(group));
}

/** The properties that a move keeps: kinds, sizes and times, by the place below the top. */
function signatureOf({ path, members }: Group, changes: readonly PathChange[], side: 'before' | 'after'): string {
  return members
    .map((at) => {
      const change = changes[at];
      const entry = change?.[side];
      if (change === undefined || entry === null || entry === undefined) return '?';
      const place = change.path.slice(path.length);
      return entry.kind === 'folder' ? place : `${place}\0${entry.kind}\0${entry.size}\0${entry.modifiedNs}`;
    })
    .join('\n');
}

function isSameAll(
  from: Group,
  to: Group,
  changes: readonly PathChange[],
  isMoved: (from: PathChange, to: PathChange) => boolean,
): boolean {
  return from.members.every((at, index) => {
    const one = changes[at];
    const other = changes[to.members[index] ?? -1];
    if (one === undefined || other === undefined) return false;
    return one.before?.kind === 'folder' || isMoved(one, other);
  });
}

/** The differences between every dry run and a real run. */
const ALWAYS = 'Unlike a real run, the dry run had no network and a /tmp of its own, and it left the shell as it was (cd, export).';

const MOVED = /cross-device link|\bEXDEV\b/i;
const BUSY = /device or resource busy|\bEBUSY\b/i;
const READ_ONLY = /read-only file system|\bEROFS\b/i;
/** A path starts at the beginning of a word: `./.env` is in the project. */
const PATH = /(?<![^\s'"‘`:])['"‘`]?((?:\/|~\/|\.\.\/)[^\s'"’`:]+)['"’`]?/g;
const MOST_PLACES = 20;

/** The known differences between a dry run and a real run. */
export function listDifferences(
  output: string,
  given: {
    readonly way: 'overlay' | 'copy';
    readonly blocked: string | null;
    readonly hidden: readonly string[];
    readonly isRoot: boolean;
  },
): readonly string[] {
  const { way, blocked, hidden, isRoot } = given;
  const moved = way === 'overlay' && MOVED.test(output);
  return [
    ALWAYS,
    ...(isRoot ? ['Root had no special rights in the dry run.'] : []),
    ...(blocked === null ? [] : [`The sandbox blocked it: ${blocked}.`]),
    ...(moved ? ['It could not rename a folder, which a real run can do.'] : []),
    ...(BUSY.test(output) && hidden.length > 0 ? [`Files that hold secrets were hidden from it: ${hidden.join(', ')}.`] : []),
  ];
}

/** Whether a copy would be closer to a real run than an overlay, in which folders of the project cannot be renamed. */
export function wantsCopy(output: string): boolean {
  return MOVED.test(output);
}

/** Places outside the project that a command reported as not writable. */
export function listOutside(output: string, project: string): readonly string[] {
  const lines = output.split('\n').filter((line) => READ_ONLY.test(line));
  // The program that reports it may be named by path.
  const told = lines.map((line) => line.replace(/^\S+: (?:line \d+: )?(?=.*:)/, ''));
  const paths = told.flatMap((line) => [...line.matchAll(PATH)].map(([, path = '']) => path));
  const outside = paths.filter((path) => path !== project && !path.startsWith(`${project}/`));
  return [...new Set(outside)].slice(0, MOST_PLACES);
}

/** The maximum number of named paths. */
const MOST = 40;

/** The applied changes of a dry run, for the model. */
export function formatApplied({ applied, left, conflicts }: AppliedReport): string {
  const isAll = left.length === 0 && conflicts.length === 0;
  if (isAll && applied.length === 0) return 'ran on a copy of the project (dry run); it changed no file, so there was nothing to apply';
  const parts = [
    isAll
      ? `ran on a copy of the project (dry run); the user applied all changes: ${namesOf(applied)}`
      : `ran on a copy of the project (dry run); the user applied: ${namesOf(applied) || 'nothing'}`,
    ...(left.length === 0 ? [] : [`left out by the user: ${namesOf(left)}`]),
    ...(conflicts.length === 0 ? [] : [`not applied: ${namesOf(conflicts.map(({ path, why }) => `${path} (${why})`))}`]),
  ];
  return parts.join('; ');
}

function namesOf(names: readonly string[]): string {
  const more = names.length > MOST ? `, and ${names.length - MOST} more` : '';
  return `${names.slice(0, MOST).join(', ')}${more}`;
}
