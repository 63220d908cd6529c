import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { parseIgnored, type ShellHistoryRules } from '../../core/history-rules.ts';
import { type Job, parseJobs } from './jobs.ts';
import { isUsualPrompt } from './usual-prompt.ts';

/** What the shell tells about itself each time it waits for a line. */
export interface ShellReport {
  /** The shell's own prompt, rendered; null where it is not rendered or there is none. */
  readonly prompt: string | null;
  /** Whether the person, and not the system, made that prompt. */
  readonly isPromptOwn: boolean;
  readonly jobs: readonly Job[];
  /** What the shell is told of its history; null where it told nothing. */
  readonly history: ShellHistoryRules | null;
}

export const NO_REPORT: ShellReport = { prompt: null, isPromptOwn: false, jobs: [], history: null };

/** Exported variables of more than this are not kept for another shell. */
const LONGEST_EXPORTS = 256 * 1024;
/** What bash puts around the parts of a prompt that take no room. */
const NOT_PRINTED = /[\x01\x02]/g;

/** Reads what the shell's hook has written; nothing where it could not write. */
export function readReport(file: string): ShellReport {
  const text = tryRead(file);
  if (text === null) return NO_REPORT;
  const [rendered = '', own = '', jobs = '', shell, control = '', ignore = ''] = text.split('\0');
  const prompt = rendered.replace(NOT_PRINTED, '');
  const isKnown = shell === 'bash' || shell === 'zsh';
  return {
    prompt: prompt === '' ? null : prompt,
    isPromptOwn: !isUsualPrompt(own),
    jobs: parseJobs(jobs),
    history: isKnown ? { control, ignore: parseIgnored(ignore, shell) } : null,
  };
}

/** The exported variables as lines a shell can read again; null when there are none or too many. */
export function readExports(file: string): string | null {
  try {
    const fd = openSync(file, 'r');
    const buffer = Buffer.alloc(LONGEST_EXPORTS);
    const size = readSync(fd, buffer, 0, LONGEST_EXPORTS, 0);
    closeSync(fd);
    const end = buffer.indexOf(0);
    return size === 0 || size === LONGEST_EXPORTS || end <= 0 || end >= size ? null : buffer.toString('utf8', 0, end);
  } catch {
    return null;
  }
}

function tryRead(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
