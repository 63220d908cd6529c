import type { ChildProcess } from 'node:child_process';
import { ancestors, environmentOf, type ProcessRow, readRow, readTable } from '../system/process-table.ts';
import { signal } from '../system/processes.ts';

/** A server that runs as a child process. */
interface RunningServer {
  close(): Promise<void>;
  killNow(): void;
}

/** The variable by which the processes of a server are known, wherever they go. */
const MARK = 'AISH_SERVER';

/** A process may start another one between the look and its end. */
const MOST_LOOKS = 5;

/**
 * Waits for the end of aish in a process of its own: its input ends with aish, after kill -9 too. A line on its input means that aish ends in
 * order. Otherwise it ends what still carries the mark `$1`: politely first, because a server may be saving its work.
 */
const WATCHDOG = `read -r done && exit
for signal in TERM KILL KILL; do
  found=$(grep -ls "$1" /proc/[0-9]*/environ)
  [ -n "$found" ] || exit
  for place in $found; do place=\${place%/environ}; kill -$signal "\${place#/proc/}"; done
  sleep 2
done`;

/**
 * All servers of a session that run as child processes, and all processes that they start. Most of these share the process group of their
 * server. One that left it, as daemons do, is known by a variable in its environment, or by its parents.
 */
export class ServerProcesses {
  readonly #owner: string = crypto.randomUUID();
  readonly #running = new Set<RunningServer>();
  #watchdog: ChildProcess | null = null;

  /** The variable for the environment of one server. */
  createMark(): Readonly<Record<string, string>> {
    return { [MARK]: `${this.#owner}.${crypto.randomUUID()}` };
  }

  add(server: RunningServer): void {
    this.#running.add(server);
    this.#watchdog ??= this.#watch();
  }

  delete(server: RunningServer): void {
    this.#running.delete(server);
  }

  /** Ends all servers. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#running].map((server) => server.close()));
    this.#watchdog?.stdin?.end('done\n');
  }

  /** Kills all processes at once; for an exit handler, where nothing can be awaited. */
  killNow(): void {
    if (this.#running.size === 0) return;
    for (const server of this.#running) server.killNow();
    killMarked(`${MARK}=${this.#owner}.`);
  }

  #watch(): ChildProcess | null {
    if (process.platform !== 'linux') return null;
    // Most runs start no server, and the module takes milliseconds.
    const { spawn } = process.getBuiltinModule('node:child_process');
    const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'aish-servers', `${MARK}=${this.#owner}`], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    // Without it, servers end in all other cases.
    watchdog.on('error', () => {});
    watchdog.stdin?.on('error', () => {});
    watchdog.unref();
    return watchdog;
  }
}

/** The processes below a server, to be ended with it. */
export function findDescendants(server: number): readonly ProcessRow[] {
  const rows = readTable();
  return [...rows.values()].filter((row) => ancestors(row, rows).some(({ pid }) => pid === server));
}

/** Kills the processes of a server that outlived its group: those that were below it, and those with its mark. */
export function killStrays(before: readonly ProcessRow[], mark: Readonly<Record<string, string>>): void {
  for (const { pid, begun } of before) if (readRow(pid)?.begun === begun) signal(pid, 'SIGKILL');
  for (const [name, value] of Object.entries(mark)) killMarked(`${name}=${value}`);
}

function killMarked(start: string): void {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const found = [...readTable().values()].filter(
      ({ pid, state }) => state !== 'Z' && environmentOf(pid).some((entry) => entry.startsWith(start)),
    );
    if (found.length === 0) return;
    for (const { pid } of found) signal(pid, 'SIGKILL');
  }
}
