import { readSync } from 'node:fs';
import type { SystemCalls } from '../system/system-calls.ts';
import type { PtyMaster } from './pty-master.ts';

/** How often a full terminal is read until what lies before it is through. */
const ROUND_MS = 5;
const LINE_END = 0x0a;
const ENTER = 0x0d;
const NOTHING = 0x00;
const END_OF_FILE = 0x04;

/** Both ends of a terminal: the slave is closed after the master. */
export interface TerminalEnds {
  readonly slave: number;
  readonly calls: SystemCalls;
  readonly master: PtyMaster;
}

/**
 * Takes back what was typed while a command ran and nobody read. It lies in the terminal's queue, half a line of it hidden until Enter;
 * without line editing (raw) all of it can be read. Left there, the shell would execute it. Called while the shell waits for us and runs
 * nothing: a shell that looks at the modes or a program that reads would get in between. Reading until there is nothing left also waits
 * for what the kernel still carries over, so when all was written before, nothing comes after. Where the rest is not written yet, because
 * the queue was full, a promise.
 */
export function takeBackTypedAhead({ slave, calls, master }: TerminalEnds): Uint8Array | Promise<Uint8Array> {
  const before = calls.setRaw(slave);
  if (before === null) return new Uint8Array(0);
  const first = readAvailable(slave);
  if (!master.isThrough) return takeRest([first], { slave, calls, master }, before);
  calls.setModes(slave, before);
  return asTyped(first);
}

async function takeRest(taken: Uint8Array[], ends: TerminalEnds, before: Uint8Array): Promise<Uint8Array> {
  const { slave, calls, master } = ends;
  while (!master.isThrough) {
    await Promise.race([master.through(), Bun.sleep(ROUND_MS)]);
    if (master.isClosed) return asTyped(Buffer.concat(taken));
    taken.push(readAvailable(slave));
  }
  calls.setModes(slave, before);
  return asTyped(Buffer.concat(taken));
}

/** The kernel has made a line end of Enter and nothing of Ctrl-D; the editor knows the keys. */
function asTyped(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte === LINE_END ? ENTER : byte === NOTHING ? END_OF_FILE : byte));
}

function readAvailable(slave: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (;;) {
    const buffer = new Uint8Array(4096);
    const count = tryRead(slave, buffer);
    if (count <= 0) return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    parts.push(buffer.subarray(0, count));
  }
}

function tryRead(slave: number, buffer: Uint8Array): number {
  try {
    return readSync(slave, buffer);
  } catch {
    // Nothing left (the descriptor does not block), or the terminal is gone: both mean the same here.
    return 0;
  }
}
