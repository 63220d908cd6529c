import { countJobs, type Job } from '../../adapters/shell/jobs.ts';

/** Holds the person back once when leaving would end jobs. */
export class Leave {
  #told = false;

  /** What is to be said instead of leaving; null when nothing stands in the way, or it was said just before. */
  holdBack(jobs: readonly Job[]): string | null {
    if (jobs.length === 0 || this.#told) return null;
    this.#told = true;
    const list = jobs.slice(0, 5).map(({ line, state }) => (state === 'stopped' ? `${line} (stopped)` : line));
    const rest = jobs.length > list.length ? ', …' : '';
    return `${countJobs(jobs)} would end: ${list.join(', ')}${rest}; leave once more to go`;
  }

  /** Something else was done meanwhile. */
  forget(): void {
    this.#told = false;
  }
}

/** A line that does nothing but leave the shell. */
export function isExitLine(line: string): boolean {
  return /^\s*(exit|logout)(\s+\d+)?\s*;?\s*$/.test(line);
}
