import type { Candidate } from './completion.ts';

/** The signals that `kill` sends, the usual ones first, as they are typed behind its dash. */
export const SIGNALS: readonly Candidate[] = [
  row('TERM', '15: end, with time to clean up'),
  row('KILL', '9: end at once'),
  row('INT', '2: as Ctrl-C does'),
  row('HUP', '1: the terminal has gone; many services read their configuration anew'),
  row('QUIT', '3: end, and leave a core dump'),
  row('STOP', '19: stop until CONT'),
  row('CONT', '18: go on'),
  row('TSTP', '20: as Ctrl-Z does'),
  row('USR1', '10: what the program makes of it'),
  row('USR2', '12: what the program makes of it'),
  row('ABRT', '6: abort'),
  row('ALRM', '14: a timer has run out'),
  row('CHLD', '17: a child has ended'),
  row('PIPE', '13: nobody reads any more'),
  row('WINCH', '28: the window has another size'),
  row('SEGV', '11: bad access to memory'),
  row('TRAP', '5: a debugger\u2019s stop'),
  row('BUS', '7: bad access to memory'),
  row('FPE', '8: bad arithmetic'),
  row('ILL', '4: bad instruction'),
  row('IO', '29: input or output is possible'),
  row('PROF', '27: a profiling timer has run out'),
  row('SYS', '31: bad system call'),
  row('TTIN', '21: read from the terminal in the background'),
  row('TTOU', '22: write to the terminal in the background'),
  row('URG', '23: urgent data'),
  row('VTALRM', '26: a virtual timer has run out'),
  row('XCPU', '24: too much processor time'),
  row('XFSZ', '25: a file grew too large'),
];

function row(value: string, description: string): Candidate {
  return { value, description };
}
