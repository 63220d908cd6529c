import type { EventQueue } from '../../engine/session/event-queue.ts';
import { isDurable, type Recorded } from '../../protocol/event.ts';
import { badEventId } from './messages.ts';

/*
 * One reader of a session's events over server-sent events. Events are pulled, so a slow reader is fed as fast as it reads
 * and nothing piles up but in the session's queue; that one is bounded, and a reader who lets it run full is given up with
 * `event: overflow`. It comes back with the id of the last durable event it saw and misses no fact.
 */

const encoder = new TextEncoder();
const OPENED = ': aish\n\n';
const BEAT = ':\n\n';

/** The position at which a reader begins; `nth` only for one that comes back. */
interface Beginning {
  readonly seq: number;
  readonly nth?: number;
}

/** The requested position of a reader: `Last-Event-ID` if it comes back, else `?after=`, else the first event. */
export function parseAfter(lastEventId: string | undefined, after: string | undefined): Beginning {
  const value = lastEventId ?? after ?? '0';
  const { seq, nth = '0' } = /^(?<seq>\d{1,15})(?:\.(?<nth>\d{1,15}))?$/.exec(value)?.groups ?? {};
  if (seq !== undefined)
    return lastEventId === undefined ? { seq: Number(seq) } : { seq: Number(seq), nth: Number(nth) };
  throw badEventId(value);
}

/** One event in the form of the stream. Events that a returning reader receives again have an id: deltas have none. */
export function formatEvent(recorded: Recorded): string {
  const { seq, nth } = recorded;
  const id = isDurable(recorded.event) ? `id: ${seq}\n` : nth === undefined ? '' : `id: ${seq}.${nth}\n`;
  return `${id}event: ${recorded.event.type}\ndata: ${JSON.stringify(recorded)}\n\n`;
}

/** The answer that streams a queue until the client leaves or the session closes. */
export function streamEvents(queue: EventQueue, heartbeat: Heartbeat): Response {
  let endBeats = (): void => {};
  let left = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(OPENED));
      endBeats = heartbeat.add(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(BEAT));
      });
    },
    async pull(controller) {
      const { done, value } = await queue.next();
      if (left) return;
      if (!done) return controller.enqueue(encoder.encode(formatEvent(value)));
      endBeats();
      controller.enqueue(encoder.encode(`event: ${queue.overflowed ? 'overflow' : 'closed'}\ndata: {}\n\n`));
      controller.close();
    },
    async cancel() {
      left = true;
      endBeats();
      await queue.return();
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
}

/** Beats for all quiet streams with one timer, which runs only while there is a stream. */
export class Heartbeat {
  readonly #everyMs: number;
  readonly #beats = new Set<() => void>();
  #timer: Timer | null = null;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Calls `beat` from now on; the answer ends that. */
  add(beat: () => void): () => void {
    this.#beats.add(beat);
    this.#timer ??= setInterval(() => this.#beat(), this.#everyMs);
    return () => this.#remove(beat);
  }

  #beat(): void {
    for (const beat of [...this.#beats]) beat();
  }

  #remove(beat: () => void): void {
    this.#beats.delete(beat);
    if (this.#beats.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
