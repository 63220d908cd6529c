import { closeSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What the system cannot end, such as one that waits for a disk, nobody waits for longer. */
const MOST_MS = 2000;
const LONGEST_NOTE = 1000;
const CHILD = /"child-pid": *(\d+)/;
/** The state of a process that has ended and that nobody has asked about yet. */
const ENDED = /^\d+ \(.*\) [ZX]/s;

/**
 * The first process within a sandbox. Bubblewrap itself ends as soon as the command has; the others within are killed then, and the first is gone
 * only when all of them are.
 */
export class FirstProcess {
  /** Where bubblewrap is to tell about it. */
  readonly descriptor: number;

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /** Awaits one that is yet to be started; the folder is a private one. */
  static expect(folder: string): FirstProcess {
    const path = join(folder, `first-${process.pid}`);
    rmSync(path, { force: true });
    const descriptor = openSync(path, 'wx+', 0o600);
    rmSync(path);
    return new FirstProcess(descriptor);
  }

  /** Settles once it is gone, and at once where there never was one. */
  async gone(): Promise<void> {
    const pid = this.#read();
    if (pid === null) return;
    const begun = performance.now();
    // No child of ours: it can only be looked at, not awaited.
    while (isThere(pid) && performance.now() - begun < MOST_MS) await Bun.sleep(1);
  }

  close(): void {
    closeSync(this.descriptor);
  }

  #read(): string | null {
    const bytes = Buffer.alloc(LONGEST_NOTE);
    const length = readSync(this.descriptor, bytes, 0, LONGEST_NOTE, 0);
    return CHILD.exec(bytes.toString('latin1', 0, length))?.[1] ?? null;
  }
}

function isThere(pid: string): boolean {
  try {
    return !ENDED.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}
