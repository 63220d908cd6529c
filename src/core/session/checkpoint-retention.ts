/** The facts about a stored step that retention uses. */
export interface RetainedStep {
  readonly id: string;
  /** The work tree; null for deleted folders, which together count as one place. */
  readonly place: string | null;
  readonly sessionId: string;
  /** The step that an undo or redo belongs to; null for other steps. */
  readonly of: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** A part of the step is undone, so it can be redone. */
  readonly isUndone: boolean;
  /** Identifies the autonomous run that made the step; null for other steps. */
  readonly run: string | null;
}

/** Steps that are kept or deleted together: a step with its undos and redos. An undo without its step would be useless. */
export interface RetainedUnit {
  readonly ids: readonly string[];
  readonly place: string | null;
  /** Time of the newest step. */
  readonly at: number;
  /** The newest run of the place needs the unit for its receipt and its undo, so it counts for no maximum. */
  readonly isOfRun: boolean;
}

/** No more units of a run stay beside the usual number of steps. */
export const MOST_OF_RUN = 1000;

/**
 * The units in order of removal: first those of ended sessions, then redoable ones, then those of running sessions, then those of the
 * newest run, each oldest first. The unit with the newest step of each place always stays, except for deleted folders, whose units go once
 * they are older than `before`.
 */
export function orderForRemoval(newestFirst: readonly RetainedStep[], live: ReadonlySet<string>, before = 0): readonly RetainedUnit[] {
  const units = new Map<string, RetainedStep[]>();
  for (const step of newestFirst) {
    const unit = units.get(step.of ?? step.id);
    if (unit === undefined) units.set(step.of ?? step.id, [step]);
    else unit.push(step);
  }
  const isOfRun = findNewestRuns(newestFirst);
  const places = new Set<string | null>();
  const mayGo = ({ place, at }: RetainedUnit): boolean => {
    if (places.has(place)) return true;
    places.add(place);
    return place === null && at < before;
  };
  return [...units.values()]
    .map((steps, age) => ({ unit: toUnit(steps, isOfRun(steps)), age, steps }))
    .map((one) => ({ ...one, worth: one.unit.isOfRun ? 3 : worthOf(one.steps, live) }))
    .filter(({ unit }) => mayGo(unit))
    .sort((one, other) => one.worth - other.worth || other.age - one.age)
    .map(({ unit }) => unit);
}

/** Tells whether a unit, newest first, is a step of the newest run of its place that is not undone, as far as a run may keep so many. */
function findNewestRuns(newestFirst: readonly RetainedStep[]): (unit: readonly RetainedStep[]) => boolean {
  const newest = new Map<string | null, string>();
  for (const { place, run } of newestFirst) if (run !== null && !newest.has(place)) newest.set(place, run);
  const counts = new Map<string | null, number>();
  return (unit) => {
    const step = unit.find(({ of }) => of === null);
    if (step === undefined || step.isUndone || step.run === null || newest.get(step.place) !== step.run) return false;
    const count = (counts.get(step.place) ?? 0) + 1;
    counts.set(step.place, count);
    return count <= MOST_OF_RUN;
  };
}

/** The fewest units, from the front of the order, that reduce each place to its maximum number of steps. */
export function takeOver(
  order: readonly RetainedUnit[],
  counts: ReadonlyMap<string | null, number>,
  most: number,
): readonly RetainedUnit[] {
  const left = new Map(counts);
  return order.filter(({ place, ids, isOfRun }) => {
    const count = left.get(place) ?? 0;
    if (isOfRun || count <= most) return false;
    left.set(place, count - ids.length);
    return true;
  });
}

/** The number of steps of each place, without those of runs in the order of removal. */
export function countByPlace(
  steps: readonly Pick<RetainedStep, 'id' | 'place'>[],
  order: readonly RetainedUnit[],
): Map<string | null, number> {
  const ofRuns = new Set(order.flatMap(({ ids, isOfRun }) => (isOfRun ? ids : [])));
  const counts = new Map<string | null, number>();
  for (const { id, place } of steps) if (!ofRuns.has(id)) counts.set(place, (counts.get(place) ?? 0) + 1);
  return counts;
}

function toUnit(steps: readonly RetainedStep[], isOfRun: boolean): RetainedUnit {
  const place = steps[0]?.place ?? null;
  return { ids: steps.map(({ id }) => id), place, at: Math.max(...steps.map(({ at }) => at)), isOfRun };
}

/** More valuable units stay longer. */
function worthOf(steps: readonly RetainedStep[], live: ReadonlySet<string>): number {
  if (steps.some(({ sessionId }) => live.has(sessionId))) return 2;
  return steps.some(({ isUndone }) => isUndone) ? 1 : 0;
}
