import type { Cover } from '../../../core/session/conceal-event.ts';
import { rebuildRequests, type SentRequest } from '../../../engine/requests/sent-requests.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import { formatWhy } from './why-report.ts';

/** What explaining a turn works with. */
export interface WhyPlace {
  readonly cover: Cover;
  /** What brings out the bytes of a request, without the number of the turn. */
  readonly hint: string;
}

/** A turn explained, or the bytes of one of its requests. */
export interface Explained {
  readonly type: 'text' | 'bytes';
  readonly text: string;
}

/**
 * What a turn came of: the requests that were sent, the rules and people that decided its calls, and what the calls returned. `which` is the
 * number of a turn, or with a dot and another one the body of one of its requests and nothing else; the last turn without it.
 */
export function explainTurn(recorded: readonly Recorded[], which: string | undefined, place: WhyPlace): Explained {
  const { turn, request } = parseWhich(which, () => lastTurn(recorded));
  const facts = factsOf(recorded, turn);
  if (facts.length === 0) throw unknownTurn(turn, lastTurn(recorded));
  const requests = rebuildRequests(recorded, turn, place.cover);
  if (request === null) {
    const before = lastRequestBefore(recorded, turn, place.cover);
    return { type: 'text', text: formatWhy({ turn, facts, requests, before, hint: `${place.hint} ${turn}` }) };
  }
  const sent = requests[request - 1];
  if (sent !== undefined) return { type: 'bytes', text: sent.body };
  throw new AishError('why.none', `turn ${turn} has no request ${request}`, {
    hint: requests.length === 0 ? 'none was sent, or the log is of an older release' : `it has ${requests.length}`,
  });
}

function parseWhich(
  which: string | undefined,
  last: () => number,
): { readonly turn: number; readonly request: number | null } {
  if (which === undefined) return { turn: last(), request: null };
  const [, turn, request] = /^(\d{1,7})(?:\.(\d{1,4}))?$/.exec(which) ?? [];
  if (turn !== undefined) return { turn: Number(turn), request: request === undefined ? null : Number(request) };
  throw new AishError('usage', `"${which}" is not the number of a turn`, {
    hint: 'such as 3, or 3.2 for the bytes of its second request',
  });
}

/** What the first request of a turn is compared with: turns that failed at once sent none. */
function lastRequestBefore(recorded: readonly Recorded[], turn: number, cover: Cover): SentRequest | null {
  const begin = recorded.findIndex(({ event }) => event.type === 'turn.started' && event.turn === turn);
  const earlier = recorded.slice(0, begin);
  const sent = earlier.findLastIndex(({ event }) => event.type === 'request.sent');
  const started = earlier.slice(0, Math.max(0, sent)).findLast(({ event }) => event.type === 'turn.started')?.event;
  if (sent === -1 || started?.type !== 'turn.started') return null;
  return rebuildRequests(earlier, started.turn, cover).at(-1) ?? null;
}

function lastTurn(recorded: readonly Recorded[]): number {
  const last = recorded.findLast(({ event }) => event.type === 'turn.started')?.event;
  if (last?.type === 'turn.started') return last.turn;
  throw new AishError('why.none', 'the model was asked nothing in this session', { hint: 'ask it something first' });
}

/** The facts of a turn, its end included. */
function factsOf(recorded: readonly Recorded[], turn: number): readonly Recorded[] {
  const begin = recorded.findIndex(({ event }) => event.type === 'turn.started' && event.turn === turn);
  if (begin === -1) return [];
  const after = recorded.slice(begin + 1);
  const end = after.findIndex(({ event }) => event.type === 'turn.ended' || event.type === 'turn.started');
  if (end === -1) return recorded.slice(begin);
  return recorded.slice(begin, begin + 1 + end + (after[end]?.event.type === 'turn.ended' ? 1 : 0));
}

function unknownTurn(turn: number, last: number): AishError {
  return new AishError('why.none', `there is no turn ${turn}`, { hint: `turns go from 1 to ${last}` });
}
