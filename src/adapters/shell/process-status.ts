import { readFileSync, readlinkSync } from 'node:fs';

/** State, parent, group, session, terminal and foreground group of a process, where the system tells; its name before them may hold anything. */
function statFields(pid: number): string[] {
  const stat = tryRead(`/proc/${pid}/stat`) ?? '';
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ', 6);
}

/** One letter: S sleeps, R runs, T is stopped by a signal; null where the system does not tell. */
export function stateOf(pid: number): string | null {
  return statFields(pid)[0] || null;
}

/** The process group that has the terminal of a process; null where the system does not tell. */
export function foregroundOf(pid: number): number | null {
  const group = Number(statFields(pid)[5] ?? -1);
  return group > 0 ? group : null;
}

/**
 * Whether a process has a child that shares its group. A shell with job control gives every job a group of its own, and none to a command whose
 * output it reads to put it into a line: so that is what it waits for then.
 */
export function hasChildInGroup(pid: number): boolean {
  const children = (tryRead(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number);
  return children.some((child) => {
    const [state, , group] = statFields(child);
    return Number(group) === pid && state !== 'Z';
  });
}

/** A program's name, or null. */
export function nameOf(pid: number): string | null {
  return tryRead(`/proc/${pid}/comm`)?.trim() || null;
}

/** The physical directory of a process, or null. */
export function directoryOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** First major device number of Linux's pseudo-terminals; each major has 256 of them. */
const PTS_MAJOR = 136;

/**
 * The number of the pseudo-terminal that controls a process, or null. Not through its descriptors: a shell that already runs may have
 * redirected them for a moment just now.
 */
export function terminalNumberOf(pid: number): number | null {
  const device = Number(statFields(pid)[4] ?? 0);
  const major = device >> 8;
  return major < PTS_MAJOR || major > PTS_MAJOR + 7 ? null : (major - PTS_MAJOR) * 256 + (device & 0xff);
}

/** Signals a process, or with a negative number a group; false when there is none. */
export function signal(target: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(target, name);
  } catch {
    return false;
  }
}

function tryRead(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
