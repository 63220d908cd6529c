import type { DurableEvent, Recorded } from '../../protocol/event.ts';
import type { RequestFrame } from '../../protocol/request-frame.ts';

/** Writes down what requests are made with, so that a log tells what was sent without holding it once more for every step. */
export class RequestLedger {
  /** The frame that was written last, as text; a stored session may have one already. */
  #frame: string | null;

  constructor(recorded: readonly Recorded[]) {
    const last = recorded.findLast(({ event }) => event.type === 'request.framed')?.event;
    this.#frame = last?.type === 'request.framed' ? JSON.stringify(last.frame) : null;
  }

  /** The facts of a request that leaves now with this body. */
  factsOf(body: string, frame: RequestFrame): readonly DurableEvent[] {
    const bytes = Buffer.from(body);
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
    const sent: DurableEvent = { type: 'request.sent', bytes: bytes.length, sha256 };
    const text = JSON.stringify(frame);
    if (text === this.#frame) return [sent];
    this.#frame = text;
    return [{ type: 'request.framed', frame }, sent];
  }
}
