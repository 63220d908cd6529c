import { readSync } from 'node:fs';
import type { SystemCalls } from '../system/system-calls.ts';

/** A key pressed in the very moment a command ended may still be on its way through the kernel. */
const ON_ITS_WAY_MS = 2;

/**
 * Takes back what was typed while a command ran and nobody read. It lies in the terminal's queue, half a line of it hidden until Enter;
 * without line editing (raw) all of it can be read. Left there, the shell would execute it.
 */
export function takeBackTypedAhead(slave: number, calls: SystemCalls, options: { justTyped: boolean }): Uint8Array {
  const before = calls.setRaw(slave);
  if (before === null) return new Uint8Array(0);
  try {
    if (options.justTyped) calls.waitFor(slave, 'read', ON_ITS_WAY_MS);
    return readAvailable(slave);
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
