// Runs the tests with /tmp in memory, where the system permits it.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';

/**
 * The words before a command that run it with a /tmp of its own in memory: no other process sees that /tmp, and it is gone when the command
 * ends.
 *
 * The tests create and remove many thousands of small files. ext4 does not use a freed inode again for some minutes, and each new file
 * looks at all of those first: on a disk a fifth of the CPU of a run goes into that.
 */
export const TMP_IN_MEMORY: readonly string[] = [
  ...['unshare', '--mount', '--propagation', 'private', '--', 'sh', '-c'],
  ...['mount -t tmpfs -o mode=1777 aish-tests /tmp && exec "$@"', 'sh'],
];

/** A run of all tests has some tens of MiB in its /tmp at a time; the tests themselves need memory too. */
const LEAST_FREE_MIB = 2000;

/**
 * Reports whether a command can run with its /tmp in memory: it needs root, the memory, and nothing that it reads in the /tmp of the disk.
 */
export function canHoldTmpInMemory(used: readonly string[]): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || process.env.TMPDIR !== undefined) return false;
  if ([...used, homedir()].some((path) => path.startsWith('/tmp/'))) return false;
  if (freeMemoryMib() < LEAST_FREE_MIB) return false;
  try {
    return Bun.spawnSync([...TMP_IN_MEMORY, 'true']).success;
  } catch {
    return false;
  }
}

function freeMemoryMib(): number {
  return Number(/^MemAvailable: *(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1] ?? 0) / 1024;
}
