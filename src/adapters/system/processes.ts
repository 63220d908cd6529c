import { readFileSync } from 'node:fs';
import { errorCode } from '../../protocol/error.ts';

/** True while a process runs, whoever it belongs to. */
export function isProcessAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return errorCode(thrown) === 'EPERM';
  }
}

/** More generations than any real process has; an end for a table that changes while it is read. */
const MOST_GENERATIONS = 64;

/**
 * True when the process named by `pid` is an ancestor of this one. Where the system has no process table to read, a living process counts.
 */
export function isInside(pid: string | undefined): boolean {
  const wanted = Number(pid);
  if (pid === undefined || !Number.isInteger(wanted) || wanted <= 1) return false;
  let current: number | null = process.ppid;
  for (let generation = 0; generation < MOST_GENERATIONS && current !== null && current > 1; generation += 1) {
    if (current === wanted) return true;
    current = parentOf(current);
    if (current === null && generation === 0) return isProcessAlive(wanted);
  }
  return false;
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}
