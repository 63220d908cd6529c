import { readSync } from 'node:fs';
import type { SystemCalls } from '../system/system-calls.ts';

/** A key pressed in the very moment a command ended may still be on its way through the kernel, longer on a busy machine. */
const ON_ITS_WAY_MS = 8;

/**
 * Takes back what was typed while a command ran and nobody read. It lies in the terminal's queue, half a line of it hidden until Enter;
 * without line editing (raw) all of it can be read. Left there, the shell would execute it. So many bytes as were typed a moment ago are
 * waited for; a program may have read them, so not for long.
 */
export function takeBackTypedAhead(slave: number, calls: SystemCalls, options: { justTyped: number }): Uint8Array {
  const before = calls.setRaw(slave);
  if (before === null) return new Uint8Array(0);
  try {
    const taken = [readAvailable(slave)];
    let missing = options.justTyped - (taken[0]?.length ?? 0);
    while (missing > 0 && calls.waitFor(slave, 'read', ON_ITS_WAY_MS)) {
      const more = readAvailable(slave);
      if (more.length === 0) break;
      taken.push(more);
      missing -= more.length;
    }
    return Buffer.concat(taken);
  } finally {
    calls.setModes(slave, before);
  }
}

function readAvailable(slave: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (;;) {
    const buffer = new Uint8Array(4096);
    const count = tryRead(slave, buffer);
    if (count <= 0) return parts.length === 0 ? new Uint8Array(0) : Buffer.concat(parts);
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
