/** What retention needs to know of one kept step. */
export interface RetainedStep {
  readonly id: string;
  readonly sessionId: string;
  /** The step that an undo or redo is about; null for every other one. */
  readonly of: string | null;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Some of it is taken back, so that it can be done once more. */
  readonly isUndone: boolean;
}

/** How much may be kept of one work tree. */
export interface RetentionLimits {
  readonly steps: number;
  readonly bytes: number;
}

/** What holds where nothing else is configured. */
export const USUAL_RETENTION: RetentionLimits = { steps: 200, bytes: 1_000_000_000 };

/** Steps that go or stay together: one, and the undos and redos of it. An undo without its step would lead nowhere. */
export interface RetainedUnit {
  readonly ids: readonly string[];
  /** When the newest of them was made. */
  readonly at: number;
}

/**
 * The units in the order in which they may go: of ended sessions first, then what can be redone, then sessions that are going on, and of
 * each the oldest first. The unit of the newest step is not among them: it stays whatever it takes.
 */
export function orderForRemoval(
  newestFirst: readonly RetainedStep[],
  live: ReadonlySet<string>,
): readonly RetainedUnit[] {
  const units = new Map<string, RetainedStep[]>();
  for (const step of newestFirst) {
    const unit = units.get(step.of ?? step.id);
    if (unit === undefined) units.set(step.of ?? step.id, [step]);
    else unit.push(step);
  }
  const [, ...others] = [...units.values()];
  return others
    .map((steps, age) => ({ unit: toUnit(steps), age, worth: worthOf(steps, live) }))
    .sort((one, other) => one.worth - other.worth || other.age - one.age)
    .map(({ unit }) => unit);
}

/** The fewest units from the front of the order that bring a number of steps down to the most there may be. */
export function takeUntil(order: readonly RetainedUnit[], excess: number): readonly RetainedUnit[] {
  const taken: RetainedUnit[] = [];
  for (let left = excess; left > 0 && taken.length < order.length; ) {
    const unit = order[taken.length];
    if (unit === undefined) break;
    taken.push(unit);
    left -= unit.ids.length;
  }
  return taken;
}

function toUnit(steps: readonly RetainedStep[]): RetainedUnit {
  return { ids: steps.map(({ id }) => id), at: Math.max(...steps.map(({ at }) => at)) };
}

/** What is worth more stays longer. */
function worthOf(steps: readonly RetainedStep[], live: ReadonlySet<string>): number {
  if (steps.some(({ sessionId }) => live.has(sessionId))) return 2;
  return steps.some(({ isUndone }) => isUndone) ? 1 : 0;
}
