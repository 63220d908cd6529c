import type { ShellSeat } from '../../engine/shell-seat.ts';

/** Longest wait for a command that was called off. */
const LAST_WORDS_MS = 2000;

/** A command that was called off may take a moment to end; its last words must not land in the next line. */
export async function shellAtRest(seat: ShellSeat): Promise<void> {
  const until = performance.now() + LAST_WORDS_MS;
  // The shell is back within a millisecond as a rule, so the first looks come at once and later ones ever more rarely.
  for (let pause = 0; seat.shell?.state === 'running' && performance.now() < until; pause += 0.2) {
    await Bun.sleep(Math.min(pause, 5));
  }
}
