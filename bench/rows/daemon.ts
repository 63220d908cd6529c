import { existsSync, rmSync } from 'node:fs';
import { now } from '../clock.ts';
import { treeMemory } from '../memory.ts';
import type { Place } from '../place.ts';
import { inTurn, type Row } from '../row.ts';

/** The daemon: from its start to its first answer, and what it holds when nothing happens. */
export const daemon: Row = {
  name: 'daemon',
  async measure(place) {
    const held: number[] = [];
    const [values = []] = await inTurn(5, [
      async () => {
        const { startedIn, rss } = await startOnce(place);
        held.push(rss);
        return startedIn;
      },
    ]);
    return [
      { what: 'daemon, start to first answer', unit: 'ms', values, atMost: 60 },
      { what: 'daemon, idle', unit: 'MiB', values: held, atMost: 45 },
    ];
  },
};

async function startOnce(place: Place): Promise<{ startedIn: number; rss: number }> {
  const socket = `${place.root}/run/bench.sock`;
  rmSync(socket, { force: true });
  const startedAt = now();
  const child = Bun.spawn([place.aish, 'serve', '--socket', socket], {
    cwd: `${place.root}/work`,
    env: { ...place.env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  try {
    while (!(await answers(socket))) {
      if (child.exitCode !== null || now() - startedAt > 10_000) throw new Error('aish serve did not answer');
      await Bun.sleep(1);
    }
    const startedIn = now() - startedAt;
    await Bun.sleep(700);
    return { startedIn, rss: treeMemory(child.pid).rss };
  } finally {
    child.kill();
    await child.exited;
  }
}

async function answers(socket: string): Promise<boolean> {
  if (!existsSync(socket)) return false;
  try {
    return (await fetch('http://localhost/health', { unix: socket })).ok;
  } catch {
    return false; // Bound, and not listening yet.
  }
}
