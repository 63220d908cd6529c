import type { SessionEvent } from '../../protocol/event.ts';

type EventType = SessionEvent['type'];

/** The handlers of a part of the state, by the type of event. Any other event leaves the part as it is. */
export type Handlers<Part> = { readonly [T in EventType]?: (part: Part, event: SessionEvent & { readonly type: T }) => Part };

/** Applies an event. */
export function applyHandler<Part, T extends EventType>(
  handlers: Handlers<Part>,
  part: Part,
  event: SessionEvent & { readonly type: T },
): Part {
  const handle = handlers[event.type];
  return handle === undefined ? part : handle(part, event);
}
