/** Time for what is drawn later: now, and something done once after a while. */
export interface Clock {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Returns what calls it off. */
  later(milliseconds: number, run: () => void): () => void;
}

/** The real time. A timer of it keeps no program alive. */
export const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  later: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
