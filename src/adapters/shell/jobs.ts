/** A job of the shell in the background. */
export interface Job {
  readonly number: number;
  readonly state: 'running' | 'stopped';
  readonly line: string;
}

/** A job in the background that is over, or that stopped by itself. */
export interface JobNotice {
  readonly number: number;
  readonly line: string;
  /** `done`, `exit 3`, `terminated`, `stopped`. */
  readonly how: string;
}

const LISTED =
  /^\[(\d+)\] *[+-]? +(?:\d+ )?(running|stopped|suspended|continued)\S*(?: \((?:tty (?:in|out)put|signal)\))? +(.*)$/i;
/** `[1]+  Done                    make` of bash, `[1]  + done       make` of zsh, there with a process number where that is wanted. */
const TOLD =
  /^\[(\d+)\] *[+-]? +(?:\d+ )?(done(?:\(\d+\))?|exit \d+|stopped\S*|suspended|terminated|killed|hangup|interrupt|quit|aborted?|broken pipe|segmentation fault|[a-z ]*signal \d+)(?: \([^)]*\))* +(.*)$/i;

/** Reads the shell's list of jobs. */
export function parseJobs(text: string): readonly Job[] {
  const jobs: Job[] = [];
  for (const row of text.split('\n')) {
    const [, number, state = '', line = ''] = LISTED.exec(row) ?? [];
    if (number === undefined) continue;
    jobs.push({
      number: Number(number),
      state: /^[rc]/i.test(state) ? 'running' : 'stopped',
      line: trimLine(line),
    });
  }
  return jobs;
}

/** Takes the shell's own notices about jobs out of what it printed; everything else stays as it is. */
export function takeNotices(bytes: Uint8Array): { readonly notices: readonly JobNotice[]; readonly rest: Uint8Array } {
  if (!bytes.includes(0x5b)) return { notices: [], rest: bytes };
  const notices: JobNotice[] = [];
  const kept: string[] = [];
  const text = Buffer.from(bytes).toString('latin1');
  for (const row of text.split(/(?<=\n)/)) {
    const [, number, how = '', line = ''] = TOLD.exec(row.replace(/[\r\n]+$/, '')) ?? [];
    if (number === undefined || !row.endsWith('\n')) kept.push(row);
    else {
      const words = Buffer.from(line, 'latin1').toString('utf8');
      notices.push({ number: Number(number), line: trimLine(words), how: toHow(how) });
    }
  }
  if (notices.length === 0) return { notices, rest: bytes };
  // bash sets a notice off by an empty line.
  const rest = kept.join('');
  return { notices, rest: /^[\r\n]*$/.test(rest) ? new Uint8Array(0) : Buffer.from(rest, 'latin1') };
}

/** `2 jobs`; empty for none. */
export function countJobs(jobs: readonly Job[]): string {
  return jobs.length === 0 ? '' : `${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'}`;
}

function toHow(text: string): string {
  const lower = text.toLowerCase();
  if (lower.startsWith('suspended') || lower.startsWith('stopped')) return 'stopped';
  const status = /^done\((\d+)\)$/.exec(lower);
  return status === null ? lower : `exit ${status[1]}`;
}

/** Without the mark of the background and the directory the shell adds. */
function trimLine(line: string): string {
  return line
    .replace(/ +\((?:wd|pwd)(?: now)?: .*\)$/, '')
    .replace(/ +&$/, '')
    .trim();
}
