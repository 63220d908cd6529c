import { mkdirSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { isSecretName } from '../../core/secrets/names.ts';
import { signal } from '../system/processes.ts';
import { describeStartFault } from '../system/start-fault.ts';
import { serverEnded, serverNotStarted } from './messages.ts';

/** A model server that aish runs. */
export interface LocalServerPlan {
  /** The name in `[models]`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly baseUrl: string;
  /** The file that gets its output. */
  readonly log: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Ends the server when this process is gone, however it ended: its input then ends, too. The shell stands before the server in its process
 * group, so one signal ends both.
 */
const GUARD = `exec 3<&0 </dev/null
"$@" & server=$!
(read -r _ <&3; kill "$server") & guard=$!
wait "$server"
status=$?
kill "$guard"
exit "$status"`;

const CONNECT_MS = 500;
const LOOK_MS = 100;

/** A model server of this machine, started at its first use and ended with aish. A server that runs already is left alone. */
export class LocalServer {
  readonly #plan: LocalServerPlan;
  #child: ReturnType<typeof startServer> | null = null;
  /** Whether the running server has loaded its model; false if the wait was aborted. */
  #ready: Promise<boolean> = Promise.resolve(false);

  constructor(plan: LocalServerPlan) {
    this.#plan = plan;
  }

  /**
   * Starts the server unless something listens at its address, and waits until it has loaded its model. `onWait` is called once, if that
   * takes a while. Throws `AishError` if the server cannot start or ends; an abort ends the wait, and the request reports it.
   */
  async ensure(signal: AbortSignal, onWait: () => void): Promise<void> {
    if (this.#isRunning && (await this.#ready)) return;
    const { name, baseUrl, log } = this.#plan;
    if (!this.#isRunning) {
      if (await isListening(new URL(baseUrl))) return;
      this.#child = startServer(this.#plan);
    }
    onWait();
    this.#ready = this.#load(baseUrl, signal);
    const isReady = await this.#ready;
    const { exitCode = null } = this.#child ?? {};
    if (!isReady && !signal.aborted) throw serverEnded(name, exitCode, log);
  }

  get #isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Whether the server answers, once it does, or false if it ends before. While it loads, it is not there or answers 503. */
  async #load(baseUrl: string, signal: AbortSignal): Promise<boolean> {
    while (this.#isRunning && !signal.aborted) {
      const status = await askStatus(`${baseUrl}/models`, signal);
      if (status !== null && status !== 503) return true;
      await Bun.sleep(LOOK_MS);
    }
    return false;
  }

  close(): void {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    signal(-child.pid, 'SIGTERM');
  }
}

/** The environment without keys of providers and other secrets: a server of this machine needs none. */
function withoutSecrets(env: LocalServerPlan['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined || isSecretName(name) ? [] : [[name, value]])),
  );
}

function startServer({ name, command, args, log, env }: LocalServerPlan) {
  mkdirSync(dirname(log), { recursive: true, mode: 0o700 });
  const program = Bun.which(command, { PATH: env.PATH ?? '' });
  if (program === null) throw serverNotStarted(name, command, null, null);
  const output = openSync(log, 'w', 0o600);
  try {
    return Bun.spawn(['/bin/sh', '-c', GUARD, 'sh', program, ...args], {
      env: withoutSecrets(env),
      detached: true,
      stdio: ['pipe', output, output],
    });
  } catch (cause) {
    const { why, hint } = describeStartFault(cause);
    throw serverNotStarted(name, command, why, hint);
  }
}

/** The status of an answer; null without one. */
async function askStatus(url: string, signal: AbortSignal): Promise<number | null> {
  try {
    const response = await fetch(url, { signal, proxy: false as const, redirect: 'manual' });
    await response.body?.cancel();
    return response.status;
  } catch {
    return null;
  }
}

/** Whether something accepts connections at an address of this machine. */
export function isListening({ hostname, port, protocol }: URL): Promise<boolean> {
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: number, timeout: CONNECT_MS });
    const settle = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}
