import {
  countByPlace,
  orderForRemoval,
  type RetainedStep,
  type RetainedUnit,
  takeOver,
} from '../../../core/session/checkpoint-retention.ts';
import type { Repository } from '../object-store/repository.ts';

/*
 * A project with as many checkpoints as it may have loses one with each step. To read all of them each time takes longer than the step. So
 * the order in which they go is remembered, as long as nothing comes but the steps of this process: those go after all others.
 */

interface Plan {
  /** The work tree of each checkpoint. */
  readonly places: Map<string, string | null>;
  readonly order: readonly RetainedUnit[];
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
    const counts = countByPlace(ids.map((id) => ({ place: plan.places.get(id) ?? null })));
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
    this.#plans.set(key, { places, order: orderForRemoval(newestFirst, new Set([sessionId])) });
    const [oldest = ''] = this.#plans.keys();
    if (this.#plans.size > RemovalPlans.#MOST) this.#plans.delete(oldest);
  }

  /** Takes note of a new checkpoint. An undo changes what the others are worth. */
  note(repository: Repository, made: { readonly sessionId: string; readonly isRestore: boolean }, id: string): void {
    const key = keyOf(repository, made.sessionId);
    if (made.isRestore) this.#plans.delete(key);
    else this.#plans.get(key)?.places.set(id, repository.root);
  }
}

function keyOf({ commonDirectory, root }: Repository, sessionId: string): string {
  return [commonDirectory, root, sessionId].join('\0');
}
