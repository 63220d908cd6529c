/** How a window is shared out. */
export interface ContextLimits {
  /** Tokens the model can hold. */
  readonly window: number;
  /** Kept free for the answer. */
  readonly reserve: number;
  /** A longer request is compacted first. */
  readonly most: number;
  /** What a compaction leaves at most, where it can. */
  readonly target: number;
}

/** Per cent of the window that fill it before it is compacted, unless the person says otherwise. */
export const COMPACT_AT = 80;

const LEAST_RESERVE = 256;
const MOST_RESERVE = 8192;

/** Shares out a window of so many tokens. `compactAt` is in per cent. */
export function shareOut(window: number, compactAt: number): ContextLimits {
  const reserve = Math.min(MOST_RESERVE, Math.max(LEAST_RESERVE, Math.floor(window / 8)));
  const most = Math.max(1, Math.min(Math.floor((window * compactAt) / 100), window - reserve));
  return { window, reserve, most, target: Math.floor(most / 2) };
}
