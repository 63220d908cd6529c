import type { Phase } from './phase.ts';

/** What can be wrong with a shell of which nothing is heard. */
export type Ailment =
  /** Stopped by a signal; nobody but us would let it go on. */
  | 'stopped'
  /** At a prompt of which we hear nothing: our hooks are gone, our functions are there. */
  | 'hooks-lost'
  /** As before, after its startup files were interrupted: what we do behind these was not done. */
  | 'startup-cut-short'
  /** It has read our line, or the one that repairs, and did nothing: our functions are gone. */
  | 'deaf'
  /** Hooks of the person's prompt take their time. */
  | 'slow-hooks';

/** What is seen of a quiet shell. */
export interface Signs {
  readonly phase: Phase;
  /** Since when nothing was heard of it. */
  readonly quietMs: number;
  /** Since when it should have come to its prompt, after a Ctrl-C or a command's end; null when it need not. */
  readonly overdueMs: number | null;
  readonly isRepairing: boolean;
  readonly isStopped: boolean;
  /** It has the terminal itself and sleeps. */
  readonly isWaiting: boolean;
}

/** So long a shell that was interrupted may take to show that it still has our hooks. */
const REPAIR_AFTER_MS = 400;
/** So long between our line and the command's start; a hook of the person's may run in between. */
const DEAF_AFTER_MS = 3000;
const SLOW_AFTER_MS = 2000;

/** Tells what is wrong; null while there is nothing to worry about. The shell is looked at once a second at least. */
export function diagnose(signs: Signs): Ailment | null {
  const { phase, quietMs, overdueMs, isWaiting } = signs;
  if (phase === 'ready' || phase === 'ended') return null;
  if (signs.isStopped) return 'stopped';
  const isSpokenTo = phase === 'injecting' || signs.isRepairing;
  if (isSpokenTo && quietMs >= DEAF_AFTER_MS && isWaiting) return 'deaf';
  const lost = overdueMs !== null && Math.min(overdueMs, quietMs) >= REPAIR_AFTER_MS && isWaiting;
  if (lost && !signs.isRepairing) return phase === 'boot' ? 'startup-cut-short' : 'hooks-lost';
  return phase === 'settling' && overdueMs !== null && overdueMs >= SLOW_AFTER_MS ? 'slow-hooks' : null;
}
