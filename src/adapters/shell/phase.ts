import type { ShellState } from './shell-options.ts';

/**
 * At its start the shell says S when it knows our functions and R when it goes on to the person's startup files. After each command it says
 * D (done), and W when all hooks are done and it waits until we have taken back what was typed ahead. Then a command is injected, and the
 * shell says C just before that runs.
 */
export type Phase = 'boot' | 'ready' | 'injecting' | 'running' | 'settling' | 'ended';

/** The phase as others see it: what we do around a command belongs to it. */
export function toState(phase: Phase): ShellState {
  return phase === 'injecting' || phase === 'settling' ? 'running' : phase;
}
