import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import {
  countByPlace,
  MOST_OF_RUN,
  orderForRemoval,
  type RetainedStep,
  type RetainedUnit,
  takeOver,
} from '../../../core/session/checkpoint-retention.ts';
import { ObjectBatch, readLooseObject } from '../object-store/loose-object.ts';
import type { Repository } from '../object-store/repository.ts';
import { type GitOutcome, readGit, runGit, toOutput } from '../process/git-process.ts';
import {
  type CheckpointNote,
  type CheckpointRecord,
  formatNote,
  REFS,
  readAllRecords,
  readNumbers,
  readStates,
} from './checkpoint-record.ts';
import { findLink, listRefsIn, lookIntoRefs, writeLooseRefs } from './loose-refs.ts';
import { cannotSave, linkInTheWay } from './messages.ts';
import { USUAL } from './snapshot-modes.ts';

/** A commit on its way to the disk. */
export interface NewCommit {
  readonly name: string;
  /** Nothing may name it before. */
  readonly written: Promise<void>;
}

/** The commit to keep, and the limits that decide which others go for it. */
interface Keeping {
  readonly commit: NewCommit;
  /** Names the table of modes. */
  readonly modes: string;
  /** Numbers that were there when the snapshot was taken. */
  readonly seen: readonly number[];
  readonly sessionId: string;
  /** The autonomous run that makes the step; null for any other. */
  readonly run: number | null;
  /** Most steps to keep. */
  readonly steps: number;
  /** It is the checkpoint of an undo or redo. */
  readonly isRestore: boolean;
}

/** Keeps a commit under the next free id. If there are too many, others go; a number taken by another process meanwhile is skipped. */
export async function keepUnderNextId(repository: Repository, keeping: Keeping): Promise<string> {
  const { commit, modes, seen } = keeping;
  let reason = '';
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const numbers = attempt === 0 ? seen : await readNumbers(repository);
    // A number that stays locked was left so by a kill, and is nobody's then.
    const id = `c${(numbers.at(-1) ?? 0) + 1 + Math.max(0, attempt - 9)}`;
    // To take refs away, git wants a lock that others may hold for long, or that a kill left: better too many than none.
    const room = attempt < 2 ? await makeRoom(repository, numbers, keeping) : [];
    const fresh = [
      `${REFS}/${id}/before ${commit.name}`,
      ...(modes === USUAL ? [] : [`${modesRef(`${REFS}/${id}/before`)} ${modes}`]),
    ];
    const outcome = await writeRefs(repository, fresh, room, commit.written);
    if (outcome.exit === 0) {
      PLANS.note(repository, keeping, id);
      return id;
    }
    reason = outcome.stderr;
  }
  throw cannotSave(reason, repository.commonDirectory);
}

/** The ref by which git keeps the table of modes of a snapshot, beside that of the snapshot. */
export function modesRef(ref: string): string {
  return `${ref}-modes`;
}

/** Stopped in the middle, it takes the new refs away again: a checkpoint that no event names would stand in the way of undo. */
async function writeRefs(
  repository: Repository,
  fresh: readonly string[],
  room: readonly string[],
  objects: Promise<void>,
): Promise<GitOutcome> {
  try {
    return await tryUpdateRefs(repository, [...fresh.map((one) => `create ${one}`), ...room], objects);
  } catch (thrown) {
    const unstopped = { ...repository, place: { ...repository.place, signal: undefined } };
    const lines = fresh.map((one) => `delete ${one}`);
    if (repository.place.signal?.aborted) await tryUpdateRefs(unstopped, lines);
    throw thrown;
  }
}

async function makeRoom(
  repository: Repository,
  numbers: readonly number[],
  { sessionId, steps }: Keeping,
): Promise<readonly string[]> {
  if (numbers.length + 1 <= steps) return [];
  const ids = numbers.map((number) => `c${number}`);
  const known = PLANS.choose(repository, { ids, sessionId, steps });
  if (known !== null) return describeRemoval(repository, known);
  const records = await readAllRecords(repository);
  PLANS.make(repository, sessionId, toRetained(records));
  // A checkpoint that cannot be read is no use to anybody.
  const readable = new Set(records.map(({ id }) => id));
  const broken = ids.filter((id) => !readable.has(id));
  const rest = ids.filter((id) => readable.has(id));
  const chosen = PLANS.choose(repository, { ids: rest, sessionId, steps, isAnew: true }) ?? [];
  return describeRemoval(repository, [...broken, ...chosen]);
}

/** The lines for `update-ref` that take checkpoints away. */
export async function describeRemoval(repository: Repository, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const folders = ids.map((id) => `${REFS}/${id}`);
  const names = listRefsIn(repository, folders) ?? (await askForRefs(repository, folders));
  return names.map((name) => `delete ${name}`);
}

async function askForRefs({ place }: Repository, folders: readonly string[]): Promise<readonly string[]> {
  const args = ['for-each-ref', '--format=%(refname)', ...folders.map((folder) => `${folder}/`)];
  const listing = await readGit({ ...place, args }, 'list the checkpoints');
  return listing
    .toString('utf8')
    .split('\n')
    .filter((name) => name !== '');
}

/** Begins to write the commit that holds a snapshot and its note, with the objects of the snapshot if these are not written yet. */
export function startCommit(
  repository: Repository,
  { tree, parent, batch = new ObjectBatch(repository, 'write the checkpoint') }: Committed,
  note: CheckpointNote,
): NewCommit {
  const person = `aish <aish@localhost> ${Math.floor(note.at / 1000)} +0000`;
  const head = [
    `tree ${tree}`,
    ...(parent === null ? [] : [`parent ${parent}`]),
    `author ${person}`,
    `committer ${person}`,
  ];
  const body = Buffer.from(`${head.join('\n')}\n\n${formatNote(note)}`);
  const name = batch.add('commit', body);
  const written = batch.write().finally(() => batch[Symbol.asyncDispose]());
  // The error is thrown where the ref is written.
  written.catch(() => {});
  return { name, written };
}

/** The tree of a commit, and the commit before it, which is there. */
interface Committed {
  readonly tree: string;
  readonly parent: string | null;
  readonly batch?: ObjectBatch | undefined;
}

/** A commit as git stores it; null for one that is missing. `name` may be a ref. */
export async function readCommit(repository: Repository, name: string): Promise<string | null> {
  const loose = readLooseObject(repository, 'commit', name);
  if (loose !== null) return loose.toString('utf8');
  const { exit, stdout } = await runGit({ ...repository.place, args: ['cat-file', 'commit', name] });
  return exit === 0 ? stdout.toString('utf8') : null;
}

/** The records as retention looks at them, in their order. */
export function toRetained(records: readonly CheckpointRecord[]): readonly RetainedStep[] {
  const states = readStates(records);
  const roots = new Set(records.map(({ before }) => before.note.root).filter((root) => existsSync(root)));
  return records.map(({ id, before }) => {
    const { sessionId, of, at, root, run } = before.note;
    return {
      id,
      place: roots.has(root) ? root : null,
      sessionId,
      of,
      at,
      isUndone: (states.get(id)?.state ?? 'done') !== 'done',
      run: run === null ? null : nameRun(sessionId, run),
    };
  });
}

/*
 * Git follows links among its refs. A repository that came as an archive may bring such a link along, and a checkpoint would be written to,
 * or removed from, wherever it leads.
 */

const COMMAND = ['update-ref', '--no-deref', '--stdin'];

/**
 * Does what `update-ref` would with some lines, once the objects are there that they name, and returns its outcome, whatever the exit
 * status. A symbolic ref is not followed.
 */
export async function tryUpdateRefs(
  repository: Repository,
  lines: readonly string[],
  objects?: Promise<void>,
): Promise<GitOutcome> {
  refuseLinks(repository, (top) => lookIntoRefs(top).link);
  const isWritten = repository.place.signal?.aborted !== true && (await writeLooseRefs(repository, lines, objects));
  await objects;
  if (isWritten) return { exit: 0, stdout: Buffer.alloc(0), stderr: '' };
  refuseLinks(repository, findLink);
  return runGit({ ...repository.place, args: COMMAND, input: lines.map((line) => `${line}\n`).join('') });
}

/** The same; a failure is an error that names the step. */
export async function updateRefs(
  repository: Repository,
  lines: readonly string[],
  purpose: string,
  objects?: Promise<void>,
): Promise<void> {
  toOutput(await tryUpdateRefs(repository, lines, objects), purpose, repository.place.cwd);
}

/** Throws where a link is among the checkpoints, or on the way to them. */
function refuseLinks({ commonDirectory }: Repository, find: (top: string) => string | null): void {
  const top = join(commonDirectory, REFS);
  const way = [join(commonDirectory, 'packed-refs'), join(commonDirectory, 'refs'), top];
  const link = way.find((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) ?? find(top);
  if (link !== null) throw linkInTheWay(link);
}

/*
 * A project with as many checkpoints as it may have loses one with each step. To read all of them each time takes longer than the step. So
 * the order in which they go is remembered, as long as nothing comes but the steps of this process: those go after all others.
 */

interface Plan {
  /** The work tree of each checkpoint. */
  readonly places: Map<string, string | null>;
  readonly order: RetainedUnit[];
  /** The newest run of the work tree; null without one. */
  readonly run: string | null;
}

/** The checkpoints that are there, and how many may stay. */
interface Wish {
  readonly ids: readonly string[];
  readonly sessionId: string;
  readonly steps: number;
  /** The plan was just made. */
  readonly isAnew?: true;
}

/** Remembers for each session in a repository which checkpoints go next. */
export class RemovalPlans {
  static readonly #MOST = 8;
  readonly #plans = new Map<string, Plan>();

  /** The checkpoints that go so that there is room for another one; null if that has to be planned anew. */
  choose(repository: Repository, { ids, sessionId, steps, isAnew }: Wish): readonly string[] | null {
    const plan = this.#plans.get(keyOf(repository, sessionId));
    if (plan === undefined || !ids.every((id) => plan.places.has(id))) return null;
    const present = new Set(ids);
    const counts = countByPlace(
      ids.map((id) => ({ id, place: plan.places.get(id) ?? null })),
      plan.order,
    );
    const count = (counts.get(repository.root) ?? 0) + 1;
    counts.set(repository.root, count);
    const order = plan.order.flatMap((unit) => {
      const left = unit.ids.filter((id) => present.has(id));
      return left.length === 0 ? [] : [{ ...unit, ids: left }];
    });
    const units = takeOver(order, counts, steps);
    const here = units.filter(({ place }) => place === repository.root).flatMap((unit) => unit.ids);
    if (isAnew === undefined && count - here.length > steps) return null;
    return units.flatMap((unit) => unit.ids);
  }

  /** Plans anew for all checkpoints that there are. */
  make(repository: Repository, sessionId: string, newestFirst: readonly RetainedStep[]): void {
    const places = new Map(newestFirst.map(({ id, place }) => [id, place]));
    const key = keyOf(repository, sessionId);
    this.#plans.delete(key);
    const order = [...orderForRemoval(newestFirst, new Set([sessionId]))];
    const run = newestFirst.find((step) => step.place === repository.root && step.run !== null)?.run ?? null;
    this.#plans.set(key, { places, order, run });
    const [oldest = ''] = this.#plans.keys();
    if (this.#plans.size > RemovalPlans.#MOST) this.#plans.delete(oldest);
  }

  /** Takes note of a new checkpoint. An undo, and the first step of a run, change what the others are worth. */
  note(
    repository: Repository,
    { sessionId, isRestore, run }: Pick<Keeping, 'sessionId' | 'isRestore' | 'run'>,
    id: string,
  ): void {
    const key = keyOf(repository, sessionId);
    const plan = this.#plans.get(key);
    const isOfRun = run !== null && plan?.run === nameRun(sessionId, run);
    if (isRestore || (run !== null && !isOfRun) || plan?.order.length === MOST_OF_RUN) this.#plans.delete(key);
    plan?.places.set(id, repository.root);
    if (isOfRun) plan?.order.push({ ids: [id], place: repository.root, at: 0, isOfRun });
  }
}

const PLANS = new RemovalPlans();

function nameRun(sessionId: string, run: number): string {
  return `${sessionId} ${run}`;
}

function keyOf({ commonDirectory, root }: Repository, sessionId: string): string {
  return [commonDirectory, root, sessionId].join('\0');
}
