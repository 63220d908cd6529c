import { type Job, type JobNotice, takeNotices } from './jobs.ts';
import type { ShellOptions } from './shell-options.ts';
import { NO_REPORT, readReport, type ShellReport } from './shell-report.ts';

/** What goes on beside commands: the shell's jobs, what they print while it waits, and what it told of itself. */
export class Background {
  readonly #options: Pick<ShellOptions, 'onOutside' | 'onJobNotice'>;
  readonly #file: string;
  #report: ShellReport = NO_REPORT;

  constructor(options: Pick<ShellOptions, 'onOutside' | 'onJobNotice'>, file: string) {
    this.#options = options;
    this.#file = file;
  }

  /** What the shell told when it last waited for a line, less the jobs that have ended since. */
  get report(): ShellReport {
    return this.#report;
  }

  /** The shell waits for a line and has written its report anew. */
  refresh(): void {
    this.#report = readReport(this.#file);
  }

  /** Hands on what belongs to no command. Startup files run no jobs of the person's. */
  show(bytes: Uint8Array, { isBoot }: { isBoot: boolean }): void {
    const { notices, rest } = takeNotices(bytes);
    if (rest.length > 0) this.#options.onOutside?.(rest, isBoot ? null : this.#onlyJob());
    // Who is told draws the prompt anew, which counts them.
    this.#report = { ...this.#report, jobs: withNotices(this.#report.jobs, notices) };
    for (const notice of notices) this.#options.onJobNotice?.(notice);
  }

  /** The one job that may have printed what comes while the shell waits; null where it could be another. */
  #onlyJob(): Job | null {
    const running = this.#report.jobs.filter(({ state }) => state === 'running');
    return running.length === 1 ? (running[0] ?? null) : null;
  }
}

/** The jobs as they are after these notices. */
function withNotices(jobs: readonly Job[], notices: readonly JobNotice[]): readonly Job[] {
  const told = new Map(notices.map(({ number, how }) => [number, how]));
  return jobs.flatMap((job) => {
    const how = told.get(job.number);
    if (how === undefined) return [job];
    return how === 'stopped' ? [{ ...job, state: 'stopped' as const }] : [];
  });
}
