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
export function beginningOfNotice(bytes: Uint8Array, jobs: readonly Job[]): number {
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
