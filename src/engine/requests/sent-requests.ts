import { toWireBody } from '../../adapters/model/wire-body.ts';
import { toMessages } from '../../core/context/request-messages.ts';
import { toWireName } from '../../core/model/model-call.ts';
import { type Cover, redactRequest } from '../../core/secrets/redact-event.ts';
import { evolve, fold } from '../../core/session/evolve.ts';
import type { SessionState } from '../../core/session/state.ts';
import type { Recorded } from '../../protocol/event.ts';
import type { ModelRequest, RequestPrefix } from '../../protocol/model.ts';

/** One request of a turn, made again from the log. */
export interface SentRequest {
  /** Number of the fact that it was sent. */
  readonly seq: number;
  readonly at: number;
  readonly frame: RequestPrefix;
  readonly body: string;
  /** The bytes have the length and the SHA-256 of those that were sent. */
  readonly isExact: boolean;
  /** What was sent: how long it was, and its SHA-256. */
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * The requests of a turn as they were sent, in order. A log holds what was said; the bytes are made of it by the projection that made them
 * then, and compared by their SHA-256. They differ where another release projects otherwise, and where something became known as a secret
 * since: what stood in the log before that is covered by `cover`, so that nothing secret is shown for the sake of being exact.
 */
export function rebuildRequests(recorded: readonly Recorded[], turn: number, cover: Cover): readonly SentRequest[] {
  const begin = recorded.findIndex(({ event }) => event.type === 'turn.started' && event.turn === turn);
  if (begin === -1) return [];
  let state = fold(recorded.slice(0, begin).map(({ event }) => event));
  let frame = frameBefore(recorded, begin);
  const requests: SentRequest[] = [];
  for (const { seq, at, event } of recorded.slice(begin)) {
    if (event.type === 'turn.started' && event.turn !== turn) break;
    state = evolve(state, event);
    if (event.type === 'request.prefixed') frame = event.prefix;
    if (event.type !== 'request.sent' || frame === null) continue;
    const { bytes, sha256 } = event;
    requests.push({ seq, at, frame, bytes, sha256, ...rebuild(state, frame, sha256, cover) });
  }
  return requests;
}

function frameBefore(recorded: readonly Recorded[], begin: number): RequestPrefix | null {
  for (let at = begin - 1; at >= 0; at -= 1) {
    const event = recorded[at]?.event;
    if (event?.type === 'request.prefixed') return event.prefix;
  }
  return null;
}

function rebuild(
  state: SessionState,
  frame: RequestPrefix,
  sha256: string,
  cover: Cover,
): Pick<SentRequest, 'body' | 'isExact'> {
  const request = redactRequest(requestOf(state, frame), cover);
  const body = JSON.stringify(toWireBody({ baseUrl: `https://${frame.host}`, model: frame.model }, request));
  return { body, isExact: new Bun.CryptoHasher('sha256').update(body).digest('hex') === sha256 };
}

function requestOf(state: SessionState, frame: RequestPrefix): ModelRequest {
  const { toolTurns, outputBudget, images, system, tools } = frame;
  // The system message is in the frame: nothing of the place it was made of need be known.
  const place = { os: '', shell: '', cwd: '' };
  const [, ...messages] = toMessages(state, { frame: place, wireName: toWireName, toolTurns, outputBudget, images });
  return { messages: [{ role: 'system', content: system }, ...messages], tools };
}
