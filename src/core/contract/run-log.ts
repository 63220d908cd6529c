import type { EventOf, Recorded } from '../../protocol/event.ts';

/** The events of an autonomous run: from its start, and from each time that it went on, up to its next end. */
export interface RunLog {
  readonly start: EventOf<'contract.started'>;
  /** The terms that count now. */
  readonly contract: EventOf<'contract.started'>['contract'];
  readonly spans: readonly (readonly Recorded[])[];
  /** Nothing has ended it so far. */
  readonly isOpen: boolean;
}

/** The last autonomous run of a session, without what happened while it had ended; null without one. */
export function readRun(recorded: readonly Recorded[]): RunLog | null {
  const begin = recorded.findLastIndex(({ event }) => event.type === 'contract.started');
  const start = recorded[begin]?.event;
  if (start?.type !== 'contract.started') return null;
  const spans: Recorded[][] = [];
  let { contract } = start;
  let open: Recorded[] | null = null;
  for (const one of recorded.slice(begin)) {
    const { event } = one;
    if (event.type === 'session.resumed') open = null;
    if (event.type === 'contract.started' || event.type === 'contract.resumed') {
      contract = event.contract;
      open = [];
      spans.push(open);
    }
    open?.push(one);
    if (event.type === 'contract.ended') open = null;
  }
  return { start, contract, spans, isOpen: open !== null };
}

/** The milliseconds that a run has used up to `now`. Those after the last event of a run that was cut short are unknown. */
export function timeOfRun({ spans, isOpen }: Pick<RunLog, 'spans' | 'isOpen'>, now: number): number {
  return spans.reduce((sum, span, at) => sum + timeOfSpan(span, isOpen && at === spans.length - 1 ? now : null), 0);
}

function timeOfSpan(span: readonly Recorded[], now: number | null): number {
  let sum = 0;
  let since = span[0]?.at ?? null;
  for (const { at, event } of span) {
    if (event.type === 'contract.paused' && since !== null) {
      sum += at - since;
      since = null;
    } else if (event.type === 'contract.continued') since ??= at;
  }
  return since === null ? sum : sum + (now ?? span.at(-1)?.at ?? since) - since;
}
