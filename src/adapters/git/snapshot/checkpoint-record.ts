import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { attempt } from '../../../core/text/attempt.ts';
import type { Checkpoint, CheckpointStep, StepCause } from '../../../protocol/checkpoint.ts';
import type { Repository } from '../object-store/repository.ts';
import { formerOwners, isSameContent, readListName, type SnapshotContent } from '../object-store/withheld.ts';
import { readGit } from '../process/git-process.ts';
import { listRefFolders } from './loose-refs.ts';

/** The note of a checkpoint commit about itself. */
export interface CheckpointNote {
  readonly label: string;
  readonly root: string;
  readonly sessionId: string;
  readonly toolName: string;
  readonly cause: StepCause;
  readonly at: number;
  /** Raw paths that are not in the snapshot. */
  readonly skipped: readonly string[];
  /** Number of new files that are not in the snapshot because they were too many or too much. */
  readonly skippedUntracked: number;
  /** The step that an undo or redo is about. */
  readonly of: string | null;
  /** How an undo or redo ended; null before its end, and for every other step. */
  readonly ended: RestoreEnd | null;
  /** Before a step: the moment it began, by the clock that dates its files; null if that was not kept. */
  readonly began: number | null;
  /** Before a step: what it puts in place a dry run made since then, so that creation times say nothing. */
  readonly isDryRun: boolean;
  /** Before a step: the number of the autonomous run that makes it, in its session; null for any other step. */
  readonly run: number | null;
  /** Names the table of modes of the snapshot; null if none was kept. */
  readonly modes: string | null;
  /** Names the list of the files that are withheld from the tree; null if there was none yet. */
  readonly withheld: string | null;
  /** Before a step: the process that makes it; absent where that was not kept. */
  readonly process?: number;
  /** After a step: the highest number there was by then; absent where that was not kept. */
  readonly until?: number;
  /** After a step: what seems to be made or changed by it and is older, as `findOlder` names it. */
  readonly older: readonly string[];
  /** After a step: raw paths of what changed after its end, before or while the snapshot was taken. */
  readonly meanwhile: readonly string[];
}

/** The fields of a step's note, beside its root, its label and its moment, if there is nothing to say. */
export const EMPTY_NOTE = {
  sessionId: '',
  toolName: '',
  cause: 'tool',
  skipped: [],
  skippedUntracked: 0,
  of: null,
  ended: null,
  began: null,
  isDryRun: false,
  run: null,
  modes: null,
  withheld: null,
  older: [],
  meanwhile: [],
} as const satisfies Omit<CheckpointNote, 'label' | 'root' | 'at'>;

/** How an undo or redo ended. */
export interface RestoreEnd {
  /** No path of the step is left open. */
  readonly whole: boolean;
  /** Raw paths that stay as they are because that was chosen. */
  readonly settled: readonly string[];
  /** Steps of others that had changed the same paths at the same time, so that they are taken back with it. */
  readonly along: readonly TakenAlong[];
}

/** A step that is taken back with another one. */
export interface TakenAlong {
  readonly id: string;
  /** All that it had changed. */
  readonly whole: boolean;
}

interface KeptSnapshot extends SnapshotContent {
  readonly commit: string;
  readonly note: CheckpointNote;
}

/** A checkpoint with its snapshots before and, once sealed, after the step. */
export interface CheckpointRecord {
  readonly id: string;
  readonly before: KeptSnapshot;
  readonly after: KeptSnapshot | null;
}

/** A ref that was planted may name something else than a commit with a tree. */
const OBJECT_NAME = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

const CAUSES: readonly StepCause[] = ['tool', 'command-line', 'approved-command', 'mcp', 'user', 'undo', 'redo'];

/** Folder of refs that all checkpoints lie under. */
export const REFS = 'refs/aish';

/** The commit message that keeps a note; the first line is for users who look with git. */
export function formatNote(note: CheckpointNote): string {
  const { ended } = note;
  /** A field for each value; null and undefined have none. */
  const fields: readonly (readonly [string, readonly unknown[]])[] = [
    ['root', [note.root]],
    ['session', [note.sessionId]],
    ['tool', [note.toolName]],
    ['cause', [note.cause]],
    ['at', [note.at]],
    ['of', [note.of]],
    ['whole', [ended?.whole]],
    ['settled', ended?.settled ?? []],
    ['along', ended?.along ?? []],
    ['process', [note.process]],
    ['until', [note.until]],
    ['skipped-untracked', [note.skippedUntracked || null]],
    ['began', [note.began]],
    ['dry-run', [note.isDryRun || null]],
    ['run', [note.run]],
    ['modes', [note.modes]],
    ['withheld', [note.withheld]],
    ['meanwhile', note.meanwhile],
    ['older', note.older],
    ['left-out', note.skipped],
  ];
  const rows = fields.flatMap(([name, values]) =>
    values.flatMap((value) => (value == null ? [] : `${name}: ${JSON.stringify(value)}\n`)),
  );
  const subject = note.label.replace(/[\s\0]+/g, ' ').trim() || 'checkpoint';
  return `${subject}\n\n${rows.join('')}`;
}

/** Reads a note back; null for a commit that is not a checkpoint's. */
export function parseNote(message: string): CheckpointNote | null {
  const [label = '', , ...lines] = message.split('\n');
  const fields = new Map<string, unknown>();
  const lists = {
    'left-out': [] as string[],
    settled: [] as string[],
    older: [] as string[],
    meanwhile: [] as string[],
  };
  const along: TakenAlong[] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^([a-z-]+): (.*)$/.exec(line) ?? [];
    const value: unknown = attempt(() => JSON.parse(text), null);
    if (isList(name) && typeof value === 'string') lists[name].push(value);
    else if (name === 'along' && isTakenAlong(value)) along.push(value);
    else fields.set(name, value);
  }
  const text = (name: string) => readText(fields.get(name));
  const root = text('root');
  const at = fields.get('at');
  const skippedUntracked = fields.get('skipped-untracked');
  const began = fields.get('began');
  const run = fields.get('run');
  const whole = fields.get('whole');
  const [process, until] = [fields.get('process'), fields.get('until')];
  if (root === null || typeof at !== 'number') return null;
  return {
    label,
    root,
    sessionId: text('session') ?? '',
    toolName: text('tool') ?? '',
    cause: CAUSES.find((cause) => cause === fields.get('cause')) ?? 'tool',
    at,
    skipped: lists['left-out'],
    skippedUntracked: typeof skippedUntracked === 'number' ? skippedUntracked : 0,
    of: text('of'),
    ended: typeof whole === 'boolean' ? { whole, settled: lists.settled, along } : null,
    ...(typeof process === 'number' ? { process } : {}),
    ...(typeof until === 'number' ? { until } : {}),
    began: typeof began === 'number' ? began : null,
    isDryRun: fields.get('dry-run') === true,
    run: typeof run === 'number' ? run : null,
    modes: readModesName(text('modes')),
    withheld: readListName(text('withheld')),
    older: lists.older,
    meanwhile: lists.meanwhile,
  };
}

function readModesName(name: string | null): string | null {
  return name === '' || (name !== null && OBJECT_NAME.test(name)) ? name : null;
}

function isList(name: string): name is 'left-out' | 'settled' | 'older' | 'meanwhile' {
  return name === 'left-out' || name === 'settled' || name === 'older' || name === 'meanwhile';
}

/** All checkpoints of this work tree, newest first. */
export async function readRecords(repository: Repository): Promise<readonly CheckpointRecord[]> {
  return (await readAllRecords(repository)).filter(({ before }) => before.note.root === repository.root);
}

/** All checkpoints of the repository, of every work tree, newest first. */
export async function readAllRecords(repository: Repository): Promise<readonly CheckpointRecord[]> {
  const format = '--format=%(refname)%00%(objectname)%00%(tree)%00%(contents)%00';
  const listing = await readGit({ ...repository.place, args: ['for-each-ref', format, REFS] }, 'list the checkpoints');
  const fields = listing.toString('utf8').split('\0');
  const moved = movedRoots(repository);
  const kept = new Map<string, KeptSnapshot>();
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [name = '', commit = '', tree = '', message = ''] = fields.slice(at, at + 4);
    const note = parseNote(message);
    const isWhole = OBJECT_NAME.test(commit) && OBJECT_NAME.test(tree);
    if (!isWhole || note === null) continue;
    const root = moved.get(note.root) ?? note.root;
    kept.set(name.trim(), { commit, tree, withheld: note.withheld, note: { ...note, root } });
  }
  const records: CheckpointRecord[] = [];
  for (const [name, before] of kept) {
    const id = /^refs\/aish\/(c\d{1,15})\/before$/.exec(name)?.[1];
    const after = kept.get(`${REFS}/${id}/after`);
    if (id !== undefined) records.push({ id, before, after: after?.note.root === before.note.root ? after : null });
  }
  return records.sort((one, other) => toNumber(other.id) - toNumber(one.id));
}

/** The former places of the main work tree, each with its present place. A linked work tree may have taken its place. */
function movedRoots({ commonDirectory, withheldFolder }: Repository): ReadonlyMap<string, string> {
  if (basename(commonDirectory) !== '.git') return new Map();
  const before = formerOwners(withheldFolder).filter((path) => basename(path) === '.git');
  const isLinked = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const free = before.filter((path) => path !== commonDirectory && !isLinked(path));
  return new Map(free.map((path) => [dirname(path), dirname(commonDirectory)]));
}

/** Numbers of all checkpoints of the repository, of every work tree, ascending. */
export async function readNumbers(repository: Repository): Promise<readonly number[]> {
  const ids = (listRefFolders(repository, REFS) ?? (await askForIds(repository))).filter((id) =>
    /^c\d{1,15}$/.test(id),
  );
  return [...new Set(ids.map(toNumber))].sort((one, other) => one - other);
}

async function askForIds({ place }: Repository): Promise<readonly string[]> {
  const listing = await readGit(
    { ...place, args: ['for-each-ref', '--format=%(refname)', REFS] },
    'list the checkpoints',
  );
  return listing.toString('utf8').match(/(?<=^refs\/aish\/)c\d{1,15}(?=\/)/gm) ?? [];
}

/** The protocol's view of a record. */
export function toCheckpoint(record: Pick<CheckpointRecord, 'id' | 'before'>): Checkpoint {
  const { commit, note } = record.before;
  return { id: record.id, ref: `${REFS}/${record.id}/before`, commit, root: note.root, label: note.label, at: note.at };
}

function isTakenAlong(value: unknown): value is TakenAlong {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('whole' in value)) return false;
  return typeof value.id === 'string' && typeof value.whole === 'boolean';
}

/** The number of a checkpoint: whatever begins later has a higher one. */
export function toNumber(id: string): number {
  return Number(id.slice(1));
}

function readText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The state to which undo and redo have brought a step so far. */
export interface StepState {
  readonly state: CheckpointStep['state'];
  /** Undos that no redo has taken back whole, newest first. */
  readonly undos: readonly CheckpointRecord[];
  /** The last undo or redo found nothing that it could do, and said so. */
  readonly isReported: boolean;
  /** The last undo or redo that touched a file was cut short. */
  readonly isCutShort: boolean;
  /** The step at the same time, with which this one was taken back; null if it was not, or on its own. */
  readonly along: string | null;
}

/** A step on which no undo was tried. */
export const UNTOUCHED: StepState = { state: 'done', undos: [], isReported: false, isCutShort: false, along: null };

/**
 * Follows all undos and redos from the first to the last. One that was cut short before its files were touched has no snapshot
 * after and counts for nothing; one that was cut short later leaves its step taken back in part.
 */
export function readStates(records: readonly CheckpointRecord[]): ReadonlyMap<string, StepState> {
  const states = new Map<string, StepState>();
  for (const record of records.toReversed()) {
    const { of } = record.before.note;
    if (of === null || record.after === null) continue;
    states.set(of, follow(states.get(of) ?? UNTOUCHED, record));
  }
  for (const [id, { undos }] of [...states]) for (const undo of undos) markAlong(states, id, undo);
  return states;
}

/** If an undo stands, the changes that it took back of the steps beside its own are taken back in their places, too. */
function markAlong(states: Map<string, StepState>, id: string, undo: CheckpointRecord): void {
  for (const { id: other, whole } of undo.after?.note.ended?.along ?? []) {
    const { state, ...rest } = states.get(other) ?? UNTOUCHED;
    if (state !== 'undone') states.set(other, { ...rest, state: whole ? 'undone' : 'partly', along: id });
  }
}

/**
 * One that found nothing to do leaves the step as it was: on another branch, say, its files are other ones, and when the user comes back
 * they are there again. Only where it goes on with what was cut short, nothing to do means that all was done.
 */
function follow(earlier: StepState, record: CheckpointRecord): StepState {
  const ended = record.after?.note.ended ?? null;
  const whole = ended?.whole === true;
  if (isIdle(record) && !(earlier.isCutShort && whole)) return { ...earlier, isReported: true };
  const now = { isReported: false, isCutShort: ended === null, along: null };
  if (isUndo(record)) return { state: whole ? 'undone' : 'partly', undos: [record, ...earlier.undos], ...now };
  return whole ? UNTOUCHED : { state: 'partly', undos: earlier.undos, ...now };
}

/** True for an undo or redo that changed no file, and in which nothing was chosen. */
function isIdle({ before, after }: CheckpointRecord): boolean {
  const ended = after?.note.ended ?? null;
  return after !== null && isSameContent(before, after) && ended !== null && ended.settled.length === 0;
}

/** True for the checkpoint of an undo. */
export function isUndo({ before }: CheckpointRecord): boolean {
  return before.note.cause === 'undo';
}

/** True for the checkpoint of anything but an undo or redo. */
export function isOwnStep({ before }: CheckpointRecord): boolean {
  return before.note.of === null;
}
