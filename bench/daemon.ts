import { existsSync, rmSync } from 'node:fs';
import { now } from './clock.ts';
import type { Place } from './place.ts';

/** A running `aish serve`. */
export interface DaemonProcess {
  readonly pid: number;
  readonly socket: string;
  /** Milliseconds from its start to its first answer. */
  readonly startedIn: number;
  stop(): Promise<void>;
}

/** Starts the daemon on a socket of this place and waits for its first answer. */
export async function startDaemon(place: Place): Promise<DaemonProcess> {
  const socket = `${place.root}/run/bench.sock`;
  rmSync(socket, { force: true });
  const startedAt = now();
  const child = Bun.spawn([place.aish, 'serve', '--socket', socket], {
    cwd: place.work,
    env: { ...place.env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  const stop = async (): Promise<void> => {
    child.kill();
    await child.exited;
  };
  while (!(await answers(socket))) {
    if (child.exitCode !== null || now() - startedAt > 10_000) {
      await stop();
      throw new Error('aish serve did not answer');
    }
    await Bun.sleep(1);
  }
  return { pid: child.pid, socket, startedIn: now() - startedAt, stop };
}

async function answers(socket: string): Promise<boolean> {
  if (!existsSync(socket)) return false;
  try {
    return (await fetch('http://localhost/health', { unix: socket })).ok;
  } catch {
    return false; // Bound, and not listening yet.
  }
}
