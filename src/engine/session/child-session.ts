import type { DurableEvent, Recorded } from '../../protocol/event.ts';
import type { ChildOptions, ChildSession } from '../effects/effect-context.ts';
import { createRunEffect } from '../effects/effects.ts';
import { Session } from './session.ts';

/** Opens a session inside a call of another one. It has no log: `onEvent` gets its durable events. */
export function openChildSession({ first, deps, onEvent }: ChildOptions): ChildSession {
  return new Session({
    log: new PassedLog(onEvent),
    recorded: [],
    first,
    run: createRunEffect(deps),
    now: deps.now,
    secrets: deps.secrets,
    onTaint: () => {},
    interruptCommand: () => {},
    endWork: async () => ({ ended: 0, left: [] }),
    onClose: async () => {},
  });
}

/** Numbers events and passes them on. */
class PassedLog {
  seq = 0;
  readonly #onEvent: ChildOptions['onEvent'];

  constructor(onEvent: ChildOptions['onEvent']) {
    this.#onEvent = onEvent;
  }

  append(events: readonly DurableEvent[], at: number): readonly Recorded[] {
    return events.map((event) => {
      this.seq += 1;
      this.#onEvent(event);
      return { seq: this.seq, at, event };
    });
  }

  sync(): void {}

  close(): void {}
}
