import { readFileSync } from 'node:fs';
import { attempt } from '../../core/text/attempt.ts';
import { errorCode } from '../../protocol/error.ts';

/** True while a process runs, of any user. */
export function isProcessAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return errorCode(thrown) === 'EPERM';
  }
}

/** More generations than any process has: a limit for a table that changes while aish reads it. */
const MOST_GENERATIONS = 64;

/** True if the process `pid` is an ancestor of this one. Without a readable process table, any living process counts. */
export function isInside(pid: string | number | null | undefined): boolean {
  const wanted = Number(pid);
  if (!Number.isInteger(wanted) || wanted <= 1) return false;
  let current: number | null = process.ppid;
  for (let generation = 0; generation < MOST_GENERATIONS && current !== null && current > 1; generation += 1) {
    if (current === wanted) return true;
    current = parentOf(current);
    if (current === null && generation === 0) return isProcessAlive(wanted);
  }
  return false;
}

function parentOf(pid: number): number | null {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'), null);
  return stat === null ? null : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Signals a process and all of its group; whatever is left of either. */
export function killGroup(pid: number): void {
  for (const target of [-pid, pid]) signal(target, 'SIGKILL');
}

/** Signals a process, or with a negative number a group; false when there is none, or none of ours. */
export function signal(target: number, name: NodeJS.Signals): boolean {
  return attempt(() => process.kill(target, name), false);
}
