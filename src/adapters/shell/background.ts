import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseIgnored, type ShellHistoryRules } from '../../core/prompt/history-index.ts';
import { attempt } from '../../core/text/attempt.ts';
import { readBeginning } from '../system/file-status.ts';

/** A job of the shell in the background. */
export interface Job {
  readonly number: number;
  readonly state: 'running' | 'stopped';
  /** On one line, however many it was typed in. */
  readonly line: string;
  /** The rows behind its first one, as the shell shows them. */
  readonly more?: readonly string[];
}

/** A job in the background that is over, or that stopped by itself. */
export interface JobNotice {
  readonly number: number;
  readonly line: string;
  /** `done`, `exit 3`, `terminated`, `stopped`. */
  readonly how: string;
}

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

/** Receives what happens beside commands. */
export interface BackgroundEvents {
  /**
   * Output that belongs to no command: of startup files, of hooks, and of jobs in the background while the shell waits. The job is named
   * where it can be no other.
   */
  readonly onOutside?: (text: Uint8Array, job: Job | null) => void;
  /** A job in the background is over, or stopped by itself. */
  readonly onJobNotice?: (notice: JobNotice) => void;
  /** The shell made another prompt while it waits for a line: its report has it. */
  readonly onPrompt?: () => void;
}

/** The activity beside commands: the shell's jobs, their output while it waits, and its report of itself. */
export class Background {
  readonly #events: BackgroundEvents;
  readonly #file: string;
  #report: ShellReport = NO_REPORT;
  /** The beginning of a row about a job, until its end has come: the shell writes a notice in several pieces. */
  #begun: Uint8Array = new Uint8Array(0);
  /** Rows of a notice that are still to come. */
  #awaited: readonly string[] = [];

  constructor(events: BackgroundEvents, file: string) {
    this.#events = events;
    this.#file = file;
  }

  /** The shell's report when it last waited for a line, less the jobs that have ended since. */
  get report(): ShellReport {
    return this.#report;
  }

  /** The shell waits for a line and has written its report anew. */
  refresh(): void {
    const begun = this.#takeBegun();
    if (begun.length > 0) this.#events.onOutside?.(begun, null);
    this.#report = readReport(this.#file);
    this.#awaited = [];
    for (const notice of this.#report.ended) this.#events.onJobNotice?.(notice);
  }

  /** Takes over a prompt that the shell made while it waits for a line. */
  takePrompt(text: string | null): void {
    if (text === null) return;
    const [prompt = '', right = ''] = text.split('\0');
    const next = { ...this.#report, prompt: toShown(prompt), rightPrompt: toShown(right) };
    const isNew = next.prompt !== this.#report.prompt || next.rightPrompt !== this.#report.rightPrompt;
    this.#report = next;
    if (isNew) this.#events.onPrompt?.();
  }

  /** Hands on what belongs to no command. Startup files run no jobs of the user's. */
  show(bytes: Uint8Array, { isBoot }: { isBoot: boolean }): void {
    const all = Buffer.concat([this.#takeBegun(), bytes]);
    const end = all.length - beginningOfNotice(all, this.#report.jobs);
    this.#begun = all.subarray(end);
    const { notices, rest, awaited } = takeNotices(all.subarray(0, end), this.#report.jobs, this.#awaited);
    this.#awaited = awaited;
    if (rest.length > 0) this.#events.onOutside?.(rest, isBoot ? null : this.#onlyJob());
    // The receiver draws the prompt anew, which counts them.
    this.#report = { ...this.#report, jobs: withNotices(this.#report.jobs, notices) };
    for (const notice of notices) this.#events.onJobNotice?.(notice);
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

const STATES = [
  'running',
  'continued',
  'stopped',
  'suspended',
  'done',
  'ended',
  'exit \\d+',
  'terminated',
  'killed',
  'hangup',
  'interrupt',
  'quit',
  'aborted?',
  'broken pipe',
  'segmentation fault',
  '(?:[a-z][a-z ]*)?signal \\d+',
].join('|');
/** The details behind a state: a status, the reason of a stop, whether a core was dumped. */
const STATE_WORDS = `(${STATES})(\\(\\w+\\)|(?: \\([^)]*\\))*)`;
/** `[1]+  Done                    make` of bash, `[1]  + done       make` of zsh, there with a process number where that is wanted. */
const FIRST = new RegExp(`^\\[(\\d+)\\](?: *[+-])? +(?:\\d+ )?${STATE_WORDS} +(.*)$`, 'is');
/** zsh tells of the parts of a pipeline that are in another state in rows of their own. */
const FURTHER = new RegExp(`^ +(?:\\d+ )?${STATE_WORDS} +(.*)$`, 'is');

interface ListedJob {
  readonly number: number;
  /** The state of the last part of a pipeline that still exists, else of its last. */
  readonly state: string;
  readonly line: string;
  readonly more?: readonly string[];
}

/** Reads the shell's list of jobs. */
export function parseJobs(text: string): readonly Job[] {
  const listed: ListedJob[] = [];
  for (const row of text.split('\n')) {
    const first = toFirst(row);
    const before = listed.at(-1);
    if (first !== null) listed.push(first);
    else if (before !== undefined && row !== '') listed.splice(-1, 1, withFurther(before, row) ?? withRow(before, row));
  }
  return listed
    .filter(({ state }) => isAlive(state))
    .map(({ number, state, line, more = [] }) => ({
      number,
      state: /^[rc]/i.test(state) ? 'running' : 'stopped',
      line: trimLine([line, ...more].join(' ').replace(/\s+/g, ' ')),
      ...(more.length === 0 ? {} : { more }),
    }));
}

/** The shell shows a job that was typed in several lines in as many rows. */
function withRow(job: ListedJob, row: string): ListedJob {
  return { ...job, more: [...(job.more ?? []), row] };
}

/** A piece of what the shell printed, parted into its notices about jobs and everything else. */
interface TakenNotices {
  readonly notices: readonly JobNotice[];
  readonly rest: Uint8Array;
  /** Rows of the last notice that come with the next piece. */
  readonly awaited: readonly string[];
}

/**
 * Takes the shell's own notices about jobs out of what it printed, with the further rows of jobs it is known to have; everything else
 * stays. The shell writes a notice row by row, so `awaited` are the rows that the piece before left open.
 */
export function takeNotices(
  bytes: Uint8Array,
  jobs: readonly Job[] = [],
  awaited: readonly string[] = [],
): TakenNotices {
  if (awaited.length === 0 && !bytes.includes(0x5b)) return { notices: [], rest: bytes, awaited };
  const listed: ListedJob[] = [];
  const kept: string[] = [];
  let open: ListedJob | null = null;
  let more = awaited;
  let isTaken = false;
  for (const row of Buffer.from(bytes)
    .toString('latin1')
    .split(/(?<=\n)/)) {
    const text = row.replace(/(?<![\r\n])[\r\n]+$/, '');
    const [next, ...others] = more;
    const isWhole = row.endsWith('\n');
    if (next !== undefined && (isWhole ? trimLine(next) === trimLine(text) : next.startsWith(text))) {
      more = isWhole ? others : [next.slice(text.length), ...others];
      isTaken = true;
      continue;
    }
    const further: ListedJob | null = open === null ? null : withFurther(open, text);
    const first = isWhole ? toFirst(text) : null;
    if (further !== null) listed.pop();
    open = further ?? (first !== null && !/^[rc]/i.test(first.state) ? first : null);
    const known = open === null ? undefined : jobs.find(({ number }) => number === first?.number);
    more = (known?.more ?? []).map(toLatin);
    if (open === null) kept.push(row);
    else listed.push(known?.more === undefined ? open : { ...open, line: toLatin(known.line) });
  }
  if (listed.length === 0 && !isTaken) return { notices: [], rest: bytes, awaited: more };
  // bash sets a notice off by an empty line.
  const rest = kept.join('');
  return {
    notices: listed.map(toNotice),
    rest: /^[\r\n]*$/.test(rest) ? new Uint8Array(0) : Buffer.from(rest, 'latin1'),
    awaited: more,
  };
}

/** How many bytes at the end of a piece may be the beginning of a notice about one of these jobs. */
function beginningOfNotice(bytes: Uint8Array, jobs: readonly Job[]): number {
  if (!bytes.includes(0x5b)) return 0;
  const [row = ''] = /(?<=^|\n)\[(?:\d*|\d+\][^\n]*)$/.exec(Buffer.from(bytes).toString('latin1')) ?? [];
  const isOne = ({ number }: Job): boolean => row.startsWith(`[${number}]`) || `[${number}]`.startsWith(row);
  return row !== '' && jobs.some(isOne) ? row.length : 0;
}

function toLatin(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function toFirst(row: string): ListedJob | null {
  const [, number, state = '', detail = '', line = ''] = FIRST.exec(row) ?? [];
  return number === undefined ? null : { number: Number(number), state: `${state}${detail}`, line };
}

function withFurther(job: ListedJob, row: string): ListedJob | null {
  const [, name, detail = '', line = ''] = FURTHER.exec(row) ?? [];
  if (name === undefined) return null;
  const state = `${name}${detail}`;
  return {
    ...job,
    state: isAlive(job.state) && !isAlive(state) ? job.state : state,
    line: `${job.line.trim()} ${line}`,
  };
}

function isAlive(state: string): boolean {
  return /^(?:running|continued|stopped|suspended)/i.test(state);
}

function toNotice({ number, state, line }: ListedJob): JobNotice {
  const words = Buffer.from(line, 'latin1').toString('utf8');
  return { number, line: trimLine(words), how: toHow(state) };
}

function toHow(text: string): string {
  const lower = text.toLowerCase().replace(/ \(.*$/s, '');
  if (lower.startsWith('suspended') || lower.startsWith('stopped')) return 'stopped';
  const status = /^done\((\d+)\)$/.exec(lower);
  return status === null ? lower : `exit ${status[1]}`;
}

/** Without the mark of the background and the directory the shell adds. */
function trimLine(line: string): string {
  return line
    .replace(/(?<! ) +\((?:wd|pwd)(?: now)?: (?:(?! \((?:wd|pwd)(?: now)?: ).)*\)$/, '')
    .replace(/(?<! ) +&$/, '')
    .trim();
}
