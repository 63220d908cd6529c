import type { DelayReason } from '../../protocol/model.ts';

/** How often a request is sent again for a reason, and how the waits grow. */
interface RetryRule {
  readonly tries: number;
  readonly firstMs: number;
  readonly mostMs: number;
}

const MANY = Number.POSITIVE_INFINITY;

/** A remote server, and this machine or its network. A model that is loaded or swapped on a server nearby takes its time. */
const RULES: Readonly<Record<DelayReason, RetryRule>> = {
  loading: { tries: MANY, firstMs: 250, mostMs: 2000 },
  'rate-limited': { tries: 4, firstMs: 1000, mostMs: 8000 },
  overloaded: { tries: 4, firstMs: 1000, mostMs: 8000 },
  unavailable: { tries: 4, firstMs: 500, mostMs: 8000 },
  'timed-out': { tries: 2, firstMs: 500, mostMs: 2000 },
  'server-error': { tries: 1, firstMs: 500, mostMs: 500 },
  'connection-lost': { tries: 2, firstMs: 500, mostMs: 2000 },
  'connection-refused': { tries: 3, firstMs: 500, mostMs: 2000 },
};

/** On a server nearby these have no number of tries, but a time limit. */
const NEAR_RULE: RetryRule = { tries: MANY, firstMs: 500, mostMs: 4000 };
const WAITED_OUT_NEARBY: ReadonlySet<DelayReason> = new Set(['overloaded', 'unavailable']);

/** Longest total wait for a server nearby that is overloaded or unavailable. */
const NEAR_LIMIT_MS = 30_000;

/** Longest pause that aish accepts from a server. */
export const LONGEST_PAUSE_MS = 60_000;

/** Every request ends after so many repetitions; only a model that loads is waited for by time alone. */
const MOST_TRIES = 12;

/** The share of a wait that is random, so that many clients do not come back at the same moment. */
const JITTER = 0.25;

/** The server that a request waits for. */
export interface RetryLimits {
  /** This machine, or its network. */
  readonly isNear: boolean;
  /** How long the server may take for its first byte. */
  readonly firstByteMs: number;
  /** The server has answered before, or aish runs it, so a closed port means that it is starting. */
  readonly isExpected: boolean;
}

/** The repetitions of one request so far. */
export interface RetryProgress {
  readonly tries: Readonly<Partial<Record<DelayReason, number>>>;
  readonly waitedMs: Readonly<Partial<Record<DelayReason, number>>>;
}

export const NO_RETRIES: RetryProgress = { tries: {}, waitedMs: {} };

/** A setback before the first byte of an answer. */
export interface Setback {
  readonly reason: DelayReason;
  /** The server's own pause. */
  readonly retryAfterMs?: number;
}

/** The next repetition: how long to wait before it, and which of how many it is; `of` is null where only time limits them. */
export interface Retry {
  readonly waitMs: number;
  readonly attempt: number;
  readonly of: number | null;
  readonly progress: RetryProgress;
}

/** Decides whether a request is sent again; null to give up. `random` is from 0 up to 1. */
export function nextRetry(progress: RetryProgress, { reason, retryAfterMs }: Setback, limits: RetryLimits, random: number): Retry | null {
  const tries = progress.tries[reason] ?? 0;
  const waited = progress.waitedMs[reason] ?? 0;
  const rule = limits.isNear && WAITED_OUT_NEARBY.has(reason) ? NEAR_RULE : RULES[reason];
  const all = Object.entries(progress.tries).reduce((sum, [why, count]) => (why === 'loading' ? sum : sum + count), 0);
  if (tries >= rule.tries || all >= MOST_TRIES) return null;
  if (reason === 'connection-refused' && !limits.isExpected) return null;
  if (retryAfterMs === undefined && waited >= limitOf(reason, rule, limits)) return null;
  if (retryAfterMs !== undefined && retryAfterMs > LONGEST_PAUSE_MS) return null;
  const waitMs = toWait(rule, tries, retryAfterMs, random);
  return {
    waitMs,
    attempt: tries + 1,
    of: rule.tries === MANY ? null : rule.tries,
    progress: {
      tries: { ...progress.tries, [reason]: tries + 1 },
      waitedMs: { ...progress.waitedMs, [reason]: waited + waitMs },
    },
  };
}

function limitOf(reason: DelayReason, rule: RetryRule, { firstByteMs }: RetryLimits): number {
  if (reason === 'loading') return firstByteMs;
  return rule === NEAR_RULE ? Math.min(firstByteMs, NEAR_LIMIT_MS) : MANY;
}

/** Never shorter than the pause that the server wants. */
function toWait(rule: RetryRule, tries: number, retryAfterMs: number | undefined, random: number): number {
  if (retryAfterMs !== undefined) return Math.round(retryAfterMs + Math.min(1000, retryAfterMs * JITTER) * random);
  const wait = Math.min(rule.mostMs, rule.firstMs * 2 ** tries);
  return Math.round(wait * (1 - JITTER * random));
}
