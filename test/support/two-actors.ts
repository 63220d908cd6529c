import { createHash } from 'node:crypto';
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRepository, type Repository } from '../../src/adapters/git/object-store/repository.ts';
import type { SnapshotContent } from '../../src/adapters/git/object-store/withheld.ts';
import { runGit } from '../../src/adapters/git/process/git-process.ts';
import { applyRestore } from '../../src/adapters/git/restore/apply.ts';
import { planRestore } from '../../src/adapters/git/restore/plan.ts';
import { readConflict } from '../../src/adapters/git/restore/restore-source.ts';
import { readChanges } from '../../src/adapters/git/snapshot/changes.ts';
import { createCheckpoint, finalizeCheckpoint } from '../../src/adapters/git/snapshot/checkpoint.ts';
import { parseNote } from '../../src/adapters/git/snapshot/checkpoint-record.ts';
import { timeline } from '../../src/adapters/git/snapshot/timeline.ts';
import { readBlobs } from '../../src/adapters/git/snapshot/work-file.ts';
import { USUAL_RETENTION } from '../../src/core/session/settings.ts';
import type {
  Checkpoint,
  PathPlan,
  RestoreChoice,
  RestoreDirection,
  RestorePlan,
} from '../../src/protocol/checkpoint.ts';
import { AishError } from '../../src/protocol/error.ts';
import type { Random } from '../fidelity/random.ts';
import { type Actor, IGNORED, UndoEdits } from './undo-edits.ts';
import { type ExpectedPath, type ExpectedSource, expectPaths, UndoOracle } from './undo-oracle.ts';
import {
  bulkTree,
  hasIndexLock,
  isSameFile,
  isSameTree,
  makeBusyRepository,
  personalBytes,
  readTree,
  removeFromTree,
  type Tree,
  type TreeFile,
} from './undo-tree.ts';

/** Bytes a user wrote that somebody else took from a path, and the checkpoint that must hold them since. */
interface Taken {
  readonly id: string;
  readonly commit: string;
  readonly path: string;
  readonly file: TreeFile;
}

/** The content of a commit's snapshot. */
async function readContent(repository: Repository, commit: string): Promise<SnapshotContent> {
  const { stdout } = await runGit({ ...repository.place, args: ['log', '-1', '--format=%B', commit] });
  return { tree: `${commit}^{tree}`, withheld: parseNote(stdout.toString())?.withheld ?? null };
}

/** How often each thing happened. */
export type Tally = Record<
  | 'edits'
  | 'steps'
  | 'late'
  | 'lateAsked'
  | 'undos'
  | 'redos'
  | 'restored'
  | 'conflicts'
  | 'merged'
  | 'races'
  | 'refused'
  | 'taken'
  | 'found',
  number
>;

/** Reasons to leave a path alone that only its neighbours on the disk give. */
const OBSTACLES = [
  'a parent directory is now a symbolic link',
  'a folder with other files is in its place; move it away first',
  'a file is where its folder was; move it away first',
];

/** A user and a model at work on one tree, taking steps back and forth; whatever is not as it must be throws. */
export class TwoActors {
  readonly tally: Tally = {
    edits: 0,
    steps: 0,
    late: 0,
    lateAsked: 0,
    undos: 0,
    redos: 0,
    restored: 0,
    conflicts: 0,
    merged: 0,
    races: 0,
    refused: 0,
    taken: 0,
    found: 0,
  };
  readonly #root: string;
  readonly #random: Random;
  readonly #oracle = new UndoOracle();
  readonly #personal: string;
  readonly #edits: UndoEdits;
  readonly #untouched: string;
  #taken: Taken[] = [];

  /** `files`: so many more are in the tree, which nobody touches; they only make snapshots slow. */
  constructor(root: string, random: Random, { files = 0 }: { readonly files?: number } = {}) {
    this.#root = root;
    this.#random = random;
    makeBusyRepository(root, files);
    this.#untouched = bulkTree(root);
    this.#edits = new UndoEdits(root, random);
    this.#personal = personalBytes(root);
  }

  /** One thing that somebody does. */
  async step(): Promise<void> {
    const what = this.#random.below(100);
    if (what < 45) this.#edit('user');
    else if (what < 72) await this.#modelStep();
    else await this.#restore();
  }

  /** Looks at all that must hold at any time. */
  async check(): Promise<void> {
    expectSame('the git data of the user', personalBytes(this.#root), this.#personal);
    expectSame('a lock of the index', hasIndexLock(this.#root), false);
    expectSame('the ignored file', readTree(this.#root).get(IGNORED)?.content, this.#edits.ignored);
    const ids = await this.#forget();
    const states = (await timeline(this.#root)).map(({ id, of, state }) => ({ id, of, state }));
    for (const [place, state] of this.#oracle.states().entries()) expectSame('the timeline', states[place], state);
    expectSame('the length of the timeline', states.length, this.#oracle.states().length);
    await this.#findTaken(this.#taken.filter(({ id }) => ids.has(id)));
  }

  /** Brings back, one by one, what the user wrote and others took, and compares it to the byte. */
  async bringBack(most: number): Promise<void> {
    const ids = await this.#forget();
    const open = this.#taken.filter(({ id }) => ids.has(id));
    for (const { id, path, file } of open.slice(-most)) {
      for (const other of readTree(this.#root).keys()) removeFromTree(this.#root, other);
      const plan = await planRestore({ cwd: this.#root, id, direction: 'undo' });
      const choices = Object.fromEntries(plan.paths.map(({ key }) => [key, 'theirs' as const]));
      await applyRestore(plan, choices, { limits: USUAL_RETENTION, sessionId: 'bring-back' });
      expectSame(`${path} of ${id}`, readTree(this.#root).get(path), file);
      this.tally.found += 1;
    }
  }

  async #modelStep(): Promise<void> {
    this.tally.steps += 1;
    const before = this.#read();
    const checkpoint = await this.#create();
    const count = 1 + this.#random.below(3);
    for (let done = 0; done < count; done += 1) this.#edit('model');
    const left = this.#read();
    // The user does not wait for the model.
    if (this.#random.below(6) === 0) this.#edit('user');
    const endedAt = Date.now();
    const ended = this.#read();
    if (this.#random.below(3) === 0) await this.#saveLate(endedAt);
    const { dropped } = await finalizeCheckpoint(checkpoint, { endedAt });
    const after = this.#read();
    expectSame('dropped', dropped, isSameTree(before, after));
    if (dropped) return;
    const late = new Set(
      [...ended.keys(), ...after.keys()].filter((path) => !isSameFile(ended.get(path), after.get(path))),
    );
    const base = {
      id: checkpoint.id,
      cause: 'step',
      of: null,
      before,
      after,
      whole: false,
      settled: new Set<string>(),
    } as const;
    this.#oracle.add({ ...base, late });
    await this.#noteTaken(checkpoint, before, left);
  }

  /** The step has ended, and the user saves something before the snapshot after it is taken. */
  async #saveLate(endedAt: number): Promise<void> {
    const sign = join(this.#root, '.git', 'clock');
    do {
      writeFileSync(sign, '');
      if (lstatSync(sign).ctimeMs <= endedAt + 1) await Bun.sleep(1);
    } while (lstatSync(sign).ctimeMs <= endedAt + 1);
    rmSync(sign);
    this.tally.late += 1;
    this.#edit('user');
  }

  #create(): Promise<Checkpoint> {
    return createCheckpoint({
      cwd: this.#root,
      label: 'before a step',
      toolName: 'write_file',
      mode: 'ref',
      limits: USUAL_RETENTION,
      sessionId: 's1',
      at: Date.now(),
    });
  }

  async #restore(): Promise<void> {
    const ids = [...(await this.#forget())];
    const direction: RestoreDirection = this.#random.below(3) === 0 ? 'redo' : 'undo';
    const id = this.#random.below(5) < 3 ? null : (ids[this.#random.below(Math.min(ids.length, 12))] ?? null);
    const next = this.#oracle.source(id, direction);
    const only = this.#random.below(4) === 0 ? ['dir', 'a.txt', 'swap'] : undefined;
    const options = { cwd: this.#root, id, direction, ...(only === undefined ? {} : { paths: only }) };
    const plan = await planRestore(options).catch((error: unknown) => {
      if (error instanceof AishError) return null;
      throw error;
    });
    const isPassedOver = await this.#isPassedOver(next, id, plan);
    const expected = !isPassedOver ? next : plan === null ? null : this.#oracle.source(plan.id, direction);
    if (plan === null || expected === null) {
      expectSame('a plan', [plan, expected], [null, null]);
      return;
    }
    this.tally[plan.direction === 'undo' ? 'undos' : 'redos'] += 1;
    const paths = this.#checkPlan(plan, expected, only);
    await this.#apply(plan, expected, paths);
  }

  /** A step of which nothing is left that could be taken back makes room for the one before it. */
  async #isPassedOver(next: ExpectedSource | null, id: string | null, plan: RestorePlan | null): Promise<boolean> {
    if (id !== null || next === null || next.step.id === plan?.id) return false;
    const { paths } = await planRestore({ cwd: this.#root, id: next.step.id, direction: next.direction });
    return paths.every(isOutOfReach);
  }

  /** Each path must be classified by what the step left, what was there before it, and what is there now. */
  #checkPlan(plan: RestorePlan, expected: ExpectedSource, only: readonly string[] | undefined) {
    expectSame('the plan', [plan.id, plan.direction], [expected.step.id, expected.direction]);
    const paths = expectPaths(expected.sources);
    const wanted = [...paths.keys()].filter((path) => only === undefined || only.some((one) => isBelow(path, one)));
    expectSame(
      'its paths',
      plan.paths.map(({ key }) => key),
      wanted.sort(),
    );
    const now = this.#read();
    for (const path of plan.paths) {
      const { target, left, late } = paths.get(path.key) ?? {};
      expectSame(`${path.key} in ${plan.named}`, [path.target?.blob, path.left?.blob], [blobOf(target), blobOf(left)]);
      if (path.state === 'refused') expectSame('a refusal', OBSTACLES.includes(path.why), true);
      else {
        const decided = classify(now.get(path.key), { target, left });
        const isAsked = decided === 'restore' && (late === 'surely' || (late === 'maybe' && path.state === 'conflict'));
        expectSame(`the state of ${path.key}`, path.state, isAsked ? 'conflict' : decided);
        if (isAsked) this.tally.lateAsked += 1;
      }
    }
    return paths;
  }

  async #apply(plan: RestorePlan, expected: ExpectedSource, paths: ReadonlyMap<string, ExpectedPath>): Promise<void> {
    const choices = this.#choose(plan.paths);
    const merged = await readMerged(plan, choices);
    const planned = this.#read();
    if (this.#random.below(6) === 0) this.#race();
    const before = this.#read();
    const report = await applyRestore(plan, choices, { limits: USUAL_RETENTION, sessionId: 's1' });
    const after = this.#read();
    const restored = new Set(report.restored);
    const due = plan.paths.filter(
      (path) =>
        isDue(path, choices) &&
        isSameFile(planned.get(path.key), before.get(path.key)) &&
        !(merged.has(path.key) && isSameFile(merged.get(path.key), before.get(path.key))),
    );
    const obstructed = new Set(report.refused.filter(({ why }) => OBSTACLES.includes(why)).map(({ path }) => path));
    const expectedRestored = due.filter(({ path }) => !obstructed.has(path)).map(({ path }) => path);
    expectSame(
      `restored of ${plan.named}, refused ${Bun.inspect(report.refused)},`,
      report.restored.toSorted(),
      expectedRestored.sort(),
    );
    const done = new Map(before);
    for (const { key } of plan.paths.filter(({ path }) => restored.has(path))) {
      const file = merged.get(key) ?? paths.get(key)?.target;
      if (file === undefined) done.delete(key);
      else done.set(key, file);
    }
    expectSame('the tree', sortTree(after), sortTree(done));
    this.#count(plan, report.restored.length, report.refused.length, merged.size);
    const settled = new Set(
      plan.paths.filter((path) => isKept(path, choices, planned, before, merged)).map(({ key }) => key),
    );
    const earlier = this.#oracle.settled(expected.step, plan.direction);
    const ready = new Set([...settled, ...earlier]);
    const isReady = (path: string) =>
      isSameFile(after.get(path), paths.get(path)?.target) ||
      ready.has(path) ||
      plan.paths.some(({ key, path: shown }) => key === path && restored.has(shown));
    // A file that an earlier undo left on purpose stays settled, whatever is in its way by now.
    const isCutShort = due.some(({ path }) => obstructed.has(path));
    const whole = expected.whole && [...paths.keys()].every(isReady) && !isCutShort;
    const isChosen = plan.direction === 'undo' && [...settled].some((path) => !earlier.has(path));
    const isAll =
      plan.paths.length === paths.size &&
      plan.paths.every(({ key, path }) => isSameFile(before.get(key), paths.get(key)?.target) || obstructed.has(path));
    const isNews = isChosen || (isAll && !this.#oracle.isTold(expected.step));
    if (report.undo === null) {
      expectSame('news', [isNews, restored.size], [false, 0]);
      return;
    }
    const { id } = report.undo;
    this.#oracle.add({ id, cause: plan.direction, of: plan.id, before, after, whole, settled, late: new Set() });
    await this.#noteTaken(report.undo, before, after);
  }

  #choose(paths: readonly PathPlan[]): Record<string, RestoreChoice> {
    const choices: Record<string, RestoreChoice> = {};
    for (const { key, choices: offered } of paths) {
      // Few can be merged: those mostly are.
      const isMerged = offered.includes('merged') && this.#random.below(4) > 0;
      const choice = isMerged ? 'merged' : offered[this.#random.below(offered.length + 1)];
      if (choice !== undefined) choices[key] = choice;
    }
    return choices;
  }

  /** The user changes something between the question and the answer. */
  #race(): void {
    this.tally.races += 1;
    this.#edit('user');
  }

  #count(plan: RestorePlan, restored: number, refused: number, merged: number): void {
    this.tally.restored += restored;
    this.tally.refused += refused;
    this.tally.merged += merged;
    this.tally.conflicts += plan.paths.filter(({ state }) => state === 'conflict').length;
  }

  #edit(actor: Actor): void {
    if (actor === 'user') this.tally.edits += 1;
    this.#edits.edit(actor);
  }

  #read(): Tree {
    const tree = new Map(readTree(this.#root));
    tree.delete(IGNORED);
    return tree;
  }

  /** A text that the user wrote and another process took from its path: the checkpoint must hold it from now on. */
  async #noteTaken({ id, commit }: Checkpoint, before: Tree, after: Tree): Promise<void> {
    const taken: Taken[] = [];
    for (const [path, file] of before) {
      if (file.content.includes('user') && !isSameFile(file, after.get(path))) taken.push({ id, commit, path, file });
    }
    this.tally.taken += taken.length;
    this.#taken.push(...taken);
    await this.#findTaken(taken);
  }

  async #findTaken(taken: readonly Taken[]): Promise<void> {
    if (taken.length === 0) return;
    const repository = await openRepository(this.#root);
    const trees = new Map<string, Map<string, string>>();
    for (const commit of new Set(taken.map((one) => one.commit))) {
      const files = await readChanges(
        repository,
        { tree: this.#untouched, withheld: '' },
        await readContent(repository, commit),
      );
      trees.set(commit, new Map(files.map(({ path, after }) => [path, `${after?.mode} ${after?.blob}`])));
    }
    for (const { id, commit, path, file } of taken)
      expectSame(`what ${id} keeps of ${path}`, trees.get(commit)?.get(path), `${file.mode} ${blobOf(file)}`);
    const contents = await readBlobs(
      repository,
      taken.map(({ file }) => blobOf(file) ?? ''),
    );
    for (const [place, { path, file }] of taken.entries())
      expectSame(`the bytes of ${path}`, contents[place]?.toString('latin1'), file.content);
  }

  /** Checkpoints beyond the limit are gone, and with them what only they hold. */
  async #forget(): Promise<ReadonlySet<string>> {
    const ids = new Set((await timeline(this.#root)).map(({ id }) => id));
    this.#oracle.keepOnly(ids);
    this.#taken = this.#taken.filter(({ id }) => ids.has(id));
    return ids;
  }
}

function isOutOfReach({ state }: PathPlan): boolean {
  return state === 'same' || state === 'refused';
}

function classify(
  now: TreeFile | undefined,
  { target, left }: Pick<ExpectedPath, 'target' | 'left'>,
): PathPlan['state'] {
  if (isSameFile(now, target)) return 'same';
  return isSameFile(now, left) ? 'restore' : 'conflict';
}

function isDue({ key, state }: PathPlan, choices: Readonly<Record<string, RestoreChoice>>): boolean {
  return state === 'restore' || (choices[key] !== undefined && choices[key] !== 'mine');
}

function isKept(
  { key }: PathPlan,
  choices: Readonly<Record<string, RestoreChoice>>,
  planned: Tree,
  before: Tree,
  merged: Tree,
): boolean {
  if (!isSameFile(planned.get(key), before.get(key))) return false;
  return choices[key] === 'mine' || (merged.has(key) && isSameFile(merged.get(key), before.get(key)));
}

async function readMerged(
  plan: RestorePlan,
  choices: Readonly<Record<string, RestoreChoice>>,
): Promise<ReadonlyMap<string, TreeFile>> {
  const merged = new Map<string, TreeFile>();
  for (const { key, now, target, left } of plan.paths) {
    if (choices[key] !== 'merged' || now === null || now === 'other' || target === null) continue;
    const { merged: content } = await readConflict(plan, key);
    if (content === null) throw new Error(`${key} was offered merged, and is not`);
    merged.set(key, { mode: now.mode === left?.mode ? target.mode : now.mode, content: content.toString('latin1') });
  }
  return merged;
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function sortTree(tree: Tree): readonly (readonly [string, TreeFile])[] {
  return [...tree].sort(([one], [other]) => (one < other ? -1 : 1));
}

function blobOf(file: TreeFile | undefined): string | undefined {
  if (file === undefined) return undefined;
  const content = Buffer.from(file.content, 'latin1');
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

function expectSame(what: string, found: unknown, expected: unknown): void {
  if (Bun.deepEquals(found, expected)) return;
  throw new Error(`${what}: ${Bun.inspect(found, { depth: 6 })} instead of ${Bun.inspect(expected, { depth: 6 })}`);
}
