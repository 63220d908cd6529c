import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseIgnored, type ShellHistoryRules } from '../../core/prompt/history-index.ts';
import { attempt } from '../../core/text/attempt.ts';
import { readBeginning } from '../system/file-status.ts';
import { beginningOfNotice, type Job, type JobNotice, parseJobs, takeNotices } from './jobs.ts';
import type { ShellOptions } from './shell-options.ts';

/** The report of the shell about itself, each time it waits for a line. */
export interface ShellReport {
  /** The shell's own prompt, rendered; null where it is not rendered or there is none. */
  readonly prompt: string | null;
  /** The text of the shell for the right edge; null if there is none. */
  readonly rightPrompt: string | null;
  /** Whether that prompt is another one than the system's: startup files of the user, or a line, set it. */
  readonly isPromptOwn: boolean;
  /** Name of the virtual environment of python or conda that is active. */
  readonly environment: string | null;
  readonly jobs: readonly Job[];
  readonly history: ShellHistoryRules | null;
  /** The text that a command left for the next line, as `print -z` of zsh does, or a line that fish could not read; empty for none. */
  readonly pushed: string;
  /** Jobs that have ended since the prompt before, from a shell that does not say so itself. */
  readonly ended: readonly JobNotice[];
}

const NO_REPORT: ShellReport = {
  prompt: null,
  rightPrompt: null,
  isPromptOwn: false,
  environment: null,
  jobs: [],
  history: null,
  pushed: '',
  ended: [],
};

/** Exported variables of more than this are not kept for another shell. */
const LONGEST_EXPORTS = 256 * 1024;
/** The marks of bash around the parts of a prompt that take no room. */
const NOT_PRINTED = /[\x01\x02]/g;

/** Reads what the shell's hook has written; nothing where it could not write. */
function readReport(file: string): ShellReport {
  const text = attempt(() => readFileSync(file, 'utf8'), null);
  if (text === null) return NO_REPORT;
  const [
    prompt = '',
    right = '',
    own = '',
    environment = '',
    jobs = '',
    shell,
    control = '',
    ignore = '',
    pushed = '',
    ended = '',
  ] = text.split('\0');
  const isKnown = shell === 'bash' || shell === 'zsh';
  return {
    prompt: toShown(prompt),
    rightPrompt: toShown(right),
    isPromptOwn: own !== '',
    environment: toEnvironmentName(environment),
    jobs: parseJobs(jobs),
    history: isKnown ? { control, ignore: parseIgnored(ignore, shell) } : null,
    pushed: shell === 'bash' ? '' : pushed,
    ended: takeNotices(Buffer.from(ended)).notices,
  };
}

function toShown(rendered: string): string | null {
  const shown = rendered.replace(NOT_PRINTED, '');
  return shown === '' ? null : shown;
}

/** The last part of a path; environments that name themselves for a prompt may do so in parentheses. */
function toEnvironmentName(text: string): string | null {
  const name = basename(text.trim().replace(/^\((.*)\)$/, '$1'));
  return name === '' ? null : name;
}

/** The exported variables as lines a shell can read again; null when there are none or too many. */
export function readExports(file: string): string | null {
  const bytes = attempt(() => readBeginning(file, LONGEST_EXPORTS)?.bytes, undefined) ?? Buffer.alloc(0);
  const end = bytes.indexOf(0);
  return bytes.length === LONGEST_EXPORTS || end <= 0 ? null : bytes.toString('utf8', 0, end);
}

/** The activity beside commands: the shell's jobs, their output while it waits, and its report of itself. */
export class Background {
  readonly #options: Pick<ShellOptions, 'onOutside' | 'onJobNotice' | 'onPrompt'>;
  readonly #file: string;
  #report: ShellReport = NO_REPORT;
  /** The beginning of a row about a job, until its end has come: the shell writes a notice in several pieces. */
  #begun: Uint8Array = new Uint8Array(0);
  /** Rows of a notice that are still to come. */
  #awaited: readonly string[] = [];

  constructor(options: Pick<ShellOptions, 'onOutside' | 'onJobNotice' | 'onPrompt'>, file: string) {
    this.#options = options;
    this.#file = file;
  }

  /** The shell's report when it last waited for a line, less the jobs that have ended since. */
  get report(): ShellReport {
    return this.#report;
  }

  /** The shell waits for a line and has written its report anew. */
  refresh(): void {
    const begun = this.#takeBegun();
    if (begun.length > 0) this.#options.onOutside?.(begun, null);
    this.#report = readReport(this.#file);
    this.#awaited = [];
    for (const notice of this.#report.ended) this.#options.onJobNotice?.(notice);
  }

  /** Takes over a prompt that the shell made while it waits for a line. */
  takePrompt(text: string | null): void {
    if (text === null) return;
    const [prompt = '', right = ''] = text.split('\0');
    const next = { ...this.#report, prompt: toShown(prompt), rightPrompt: toShown(right) };
    const isNew = next.prompt !== this.#report.prompt || next.rightPrompt !== this.#report.rightPrompt;
    this.#report = next;
    if (isNew) this.#options.onPrompt?.();
  }

  /** Hands on what belongs to no command. Startup files run no jobs of the user's. */
  show(bytes: Uint8Array, { isBoot }: { isBoot: boolean }): void {
    const all = Buffer.concat([this.#takeBegun(), bytes]);
    const end = all.length - beginningOfNotice(all, this.#report.jobs);
    this.#begun = all.subarray(end);
    const { notices, rest, awaited } = takeNotices(all.subarray(0, end), this.#report.jobs, this.#awaited);
    this.#awaited = awaited;
    if (rest.length > 0) this.#options.onOutside?.(rest, isBoot ? null : this.#onlyJob());
    // The receiver draws the prompt anew, which counts them.
    this.#report = { ...this.#report, jobs: withNotices(this.#report.jobs, notices) };
    for (const notice of notices) this.#options.onJobNotice?.(notice);
  }

  #takeBegun(): Uint8Array {
    const begun = this.#begun;
    this.#begun = new Uint8Array(0);
    return begun;
  }

  /** The one job that may have printed the output while the shell waits; null if it could be another. */
  #onlyJob(): Job | null {
    const running = this.#report.jobs.filter(({ state }) => state === 'running');
    return running.length === 1 ? (running[0] ?? null) : null;
  }
}

function withNotices(jobs: readonly Job[], notices: readonly JobNotice[]): readonly Job[] {
  const ended = new Map(notices.map(({ number, how }) => [number, how]));
  return jobs.flatMap((job) => {
    const how = ended.get(job.number);
    if (how === undefined) return [job];
    return how === 'stopped' ? [{ ...job, state: 'stopped' as const }] : [];
  });
}
