import type { ShellState } from './shell-options.ts';

/**
 * Between two commands the shell goes through: it says D (done), waits until we have taken back what was typed ahead, and says B (waits
 * for input). A command is injected then, and the shell says C just before it runs.
 */
export type Phase = 'boot' | 'ready' | 'injecting' | 'running' | 'settling' | 'ended';

/** The phase as others see it: what we do around a command belongs to it. */
export function toState(phase: Phase): ShellState {
  return phase === 'injecting' || phase === 'settling' ? 'running' : phase;
}
