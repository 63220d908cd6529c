import { constants } from 'node:os';

/*
 * Signals that end a program which does not care for them, beside those that the terminal and its keys send. Nobody sends them to a shell
 * on purpose, but a script that signals the wrong process does; the terminal must not be left in raw mode then, so they end aish in order.
 * A fault of the program itself cannot be caught that way, and neither can SIGKILL.
 */
const ENDING = [
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGPROF',
  'SIGXCPU',
  'SIGIO',
  'SIGSYS',
  'SIGTRAP',
  'SIGABRT',
] as const;

/** Signals that say nothing a shell would end for: a reader has gone, a file has become too large. */
const IGNORED = ['SIGPIPE', 'SIGXFSZ'] as const;

/** Ends the program in order, with the status a shell gives it, where a signal would end it at once. */
export function endOnSignals(end: (status: number) => void): void {
  for (const signal of ENDING) process.on(signal, () => end(128 + constants.signals[signal]));
  for (const signal of IGNORED) process.on(signal, () => {});
}
