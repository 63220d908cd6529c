/** What retention needs to know of one kept step. */
export interface RetainedStep {
  readonly id: string;
  /** The work tree; null for all whose folder is gone: together they are one place. */
  readonly place: string | null;
  readonly sessionId: string;
  /** The step that an undo or redo is about; null for every other one. */
  readonly of: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Some of it is taken back, so that it can be done once more. */
  readonly isUndone: boolean;
}

/** Steps that go or stay together: one, and the undos and redos of it. An undo without its step would lead nowhere. */
interface RetainedUnit {
  readonly ids: readonly string[];
  readonly place: string | null;
  /** When the newest of them was made. */
  readonly at: number;
}

/**
 * The units in the order in which they may go: of ended sessions first, then what can be redone, then sessions that
 * are going on, and of each the oldest first. The unit of the newest step of each place is not among them: it stays
 * whatever it takes. Only where the folder is gone it goes, too, once it is older than a moment.
 */
export function orderForRemoval(newestFirst: readonly RetainedStep[], live: ReadonlySet<string>, before = 0): readonly RetainedUnit[] {
  const units = new Map<string, RetainedStep[]>();
  for (const step of newestFirst) {
    const unit = units.get(step.of ?? step.id);
    if (unit === undefined) units.set(step.of ?? step.id, [step]);
    else unit.push(step);
  }
  const places = new Set<string | null>();
  const mayGo = ({ place, at }: RetainedUnit): boolean => {
    if (places.has(place)) return true;
    places.add(place);
    return place === null && at < before;
  };
  return [...units.values()]
    .map((steps, age) => ({ unit: toUnit(steps), age, worth: worthOf(steps, live) }))
    .filter(({ unit }) => mayGo(unit))
    .sort((one, other) => one.worth - other.worth || other.age - one.age)
    .map(({ unit }) => unit);
}

/** The fewest units, from the front of the order, that bring each place down to the most steps there may be of it. */
export function takeOver(
  order: readonly RetainedUnit[],
  counts: ReadonlyMap<string | null, number>,
  most: number,
): readonly RetainedUnit[] {
  const left = new Map(counts);
  return order.filter(({ place, ids }) => {
    const count = left.get(place) ?? 0;
    if (count <= most) return false;
    left.set(place, count - ids.length);
    return true;
  });
}

/** How many steps there are of each place. */
export function countByPlace(steps: readonly Pick<RetainedStep, 'place'>[]): Map<string | null, number> {
  const counts = new Map<string | null, number>();
  for (const { place } of steps) counts.set(place, (counts.get(place) ?? 0) + 1);
  return counts;
}

function toUnit(steps: readonly RetainedStep[]): RetainedUnit {
  const place = steps[0]?.place ?? null;
  return { ids: steps.map(({ id }) => id), place, at: Math.max(...steps.map(({ at }) => at)) };
}

/** What is worth more stays longer. */
function worthOf(steps: readonly RetainedStep[], live: ReadonlySet<string>): number {
  if (steps.some(({ sessionId }) => live.has(sessionId))) return 2;
  return steps.some(({ isUndone }) => isUndone) ? 1 : 0;
}
