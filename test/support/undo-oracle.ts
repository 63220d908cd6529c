import type { CheckpointStep, RestoreDirection } from '../../src/protocol/checkpoint.ts';
import { isSameFile, isSameTree, type Tree, type TreeFile } from './undo-tree.ts';

/** One step as it was seen from outside: all of the tree before and after it. */
export interface Trace {
  readonly id: string;
  readonly cause: 'step' | RestoreDirection;
  /** The step that an undo or redo is about. */
  readonly of: string | null;
  readonly before: Tree;
  readonly after: Tree;
  /** No path of the step is left open, for an undo or redo. */
  readonly whole: boolean;
  /** For an undo: paths that stay on purpose. */
  readonly settled: ReadonlySet<string>;
  /** Paths that the user saved after the end of the step, before the snapshot after it was taken. */
  readonly late: ReadonlySet<string>;
}

/** The expected source of a restore. */
export interface ExpectedSource {
  readonly step: Trace;
  readonly direction: RestoreDirection;
  readonly sources: readonly Trace[];
  readonly whole: boolean;
}

/** One path as a restore should see it. */
export interface ExpectedPath {
  readonly target: TreeFile | undefined;
  readonly left: TreeFile | undefined;
  /**
   * `surely` for what the user saved after the end of the step; `maybe` for the rest of such a step: of what is gone only its folder tells.
   */
  readonly late: 'no' | 'maybe' | 'surely';
}

/** Says what undo and redo should do, worked out from whole trees alone and without git. */
export class UndoOracle {
  readonly #traces: Trace[] = [];

  add(trace: Trace): void {
    this.#traces.push(trace);
  }

  /** Forgets what is not kept any more. */
  keepOnly(ids: ReadonlySet<string>): void {
    const kept = this.#traces.filter(({ id }) => ids.has(id));
    this.#traces.splice(0, this.#traces.length, ...kept);
  }

  /** The expected timeline for each step, newest first. */
  states(): readonly Pick<CheckpointStep, 'id' | 'of' | 'state'>[] {
    return this.#traces.map(({ id, of }) => ({ id, of, state: this.#stateOf(id).state })).reverse();
  }

  /** The source of `id` (null: the next one); null if there is none. */
  source(id: string | null, direction: RestoreDirection): ExpectedSource | null {
    const named = id === null ? this.#next(direction) : this.#traces.find((trace) => trace.id === id);
    if (named === undefined) return null;
    if (named.of === null) return this.#sourceOf(named, direction);
    const step = this.#traces.find((trace) => trace.id === named.of);
    if (step === undefined) return null;
    const isUndo = named.cause === 'undo';
    if (direction === 'redo') return this.#sourceOf(step, isUndo ? 'undo' : 'redo');
    const isAll = this.#stateOf(step.id).undos.every((undo) => undo === named);
    const whole = named.whole && (!isUndo || isAll);
    return { step, direction: isUndo ? 'redo' : 'undo', sources: [named], whole };
  }

  /** Paths that earlier undos left as they are on purpose. */
  settled(step: Trace, direction: RestoreDirection): ReadonlySet<string> {
    if (direction === 'redo') return new Set();
    return new Set(this.#stateOf(step.id).undos.flatMap(({ settled }) => [...settled]));
  }

  /** True where the last undo or redo of a step changed nothing. */
  isTold(step: Trace): boolean {
    const last = this.#traces.findLast(({ of }) => of === step.id);
    return last !== undefined && isIdle(last);
  }

  #sourceOf(step: Trace, direction: RestoreDirection): ExpectedSource | null {
    if (direction === 'undo') return { step, direction, sources: [step], whole: true };
    const { undos } = this.#stateOf(step.id);
    return undos.length === 0 ? null : { step, direction, sources: undos, whole: true };
  }

  #next(direction: RestoreDirection): Trace | undefined {
    const backwards = this.#traces.toReversed();
    if (direction === 'undo')
      return backwards.find(({ of, id }) => of === null && this.#stateOf(id).state !== 'undone');
    const undo = backwards.find(
      (trace) => trace.of !== null && this.#has(trace.of) && this.#stateOf(trace.of).undos.includes(trace),
    );
    return this.#traces.find(({ id }) => id === undo?.of);
  }

  #has(id: string): boolean {
    return this.#traces.some((trace) => trace.id === id);
  }

  #stateOf(id: string): { readonly state: CheckpointStep['state']; readonly undos: readonly Trace[] } {
    let state: CheckpointStep['state'] = 'done';
    let undos: readonly Trace[] = [];
    for (const trace of this.#traces) {
      if (trace.of !== id || isIdle(trace)) continue;
      if (trace.cause === 'undo') {
        undos = [trace, ...undos];
        state = trace.whole ? 'undone' : 'partly';
      } else {
        undos = trace.whole ? [] : undos;
        state = trace.whole ? 'done' : 'partly';
      }
    }
    return { state, undos };
  }
}

/** True for an undo or redo that changed nothing, and in which nothing was chosen. */
function isIdle({ before, after, settled }: Trace): boolean {
  return settled.size === 0 && isSameTree(before, after);
}

/** The paths of a restore; of several sources that changed one path, the first counts. */
export function expectPaths(sources: readonly Trace[]): ReadonlyMap<string, ExpectedPath> {
  const paths = new Map<string, ExpectedPath>();
  for (const { before, after, late } of sources) {
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      const [target, left] = [before.get(path), after.get(path)];
      if (!isSameFile(target, left) && !paths.has(path)) {
        const isMaybe = late.size > 0 && left === undefined;
        paths.set(path, { target, left, late: late.has(path) ? 'surely' : isMaybe ? 'maybe' : 'no' });
      }
    }
  }
  return paths;
}
