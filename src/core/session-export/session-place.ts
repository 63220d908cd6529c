import type { Recorded } from '../../protocol/event.ts';
import { fold } from '../session/evolve.ts';
import { formatSources } from '../session/taint-state.ts';

/** Most events of a place on either side of the hit: a session of commands alone is one long turn. */
const MOST_EVENTS = 100;
/** Most untrusted sources that a place names. */
const MOST_SOURCES = 8;

/** A turn of a session, from its message to the next, or the part of it around a hit. */
export interface SessionPlace {
  /** 0 before the first message. */
  readonly turn: number;
  readonly at: number;
  /** The directory at the hit. */
  readonly cwd: string;
  readonly recorded: readonly Recorded[];
  /** The untrusted content that may be in it: all that the model had read by then, and commands whose sources are not known yet. */
  readonly untrusted: readonly string[];
}

/** The place around the event with this number; null if the log has none. */
export function findPlace(recorded: readonly Recorded[], seq: number): SessionPlace | null {
  const hit = recorded.findIndex((one) => one.seq === seq);
  const found = recorded[hit];
  if (found === undefined) return null;
  const isStart = ({ event }: Recorded): boolean => event.type === 'turn.started';
  const start = recorded.findLastIndex((one, at) => at <= hit && isStart(one));
  const next = recorded.findIndex((one, at) => at > hit && isStart(one));
  const from = Math.max(start, hit - MOST_EVENTS, 0);
  const to = Math.min(next === -1 ? recorded.length : next, hit + MOST_EVENTS + 1);
  let [seen, cwd, turn] = [0, '', 0];
  const { taint } = fold(
    recorded.slice(0, to).map(({ event }) => event),
    (state) => {
      if (seen < hit) cwd = state.cwd;
      if (seen === hit) turn = state.turns;
      seen += 1;
    },
  );
  const names = [...taint.sources.map((one) => formatSources([one])), ...taint.unread.map(({ line }) => `\`${line}\``)];
  return { turn, at: found.at, cwd, recorded: recorded.slice(from, to), untrusted: names.slice(0, MOST_SOURCES) };
}
