import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program under test: the binary of this run, or the source of this checkout. */
const PROGRAM =
  process.env.AISH_BIN === undefined
    ? [process.execPath, join(import.meta.dir, '../../src/hosts/main.ts')]
    : [process.env.AISH_BIN];

/** A home of its own with a working directory in it. */
export class TestHome {
  readonly root = mkdtempSync(join(tmpdir(), 'aish-home-'));
  readonly work = join(this.root, 'work');
  readonly run = join(this.root, 'run');
  readonly #stateBefore = process.env.XDG_STATE_HOME;

  constructor(config = '') {
    mkdirSync(this.work);
    mkdirSync(this.run, { mode: 0o700 });
    mkdirSync(join(this.root, '.config/aish'), { recursive: true });
    writeFileSync(join(this.root, '.config/aish/config.toml'), config, { mode: 0o600 });
    writeFileSync(join(this.root, '.bashrc'), '');
    // An engine in the test's own process keeps checkpoints of folders without a repository where the process says.
    process.env.XDG_STATE_HOME = join(this.root, '.local/state');
  }

  get env(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      HOME: this.root,
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      XDG_CONFIG_HOME: join(this.root, '.config'),
      XDG_STATE_HOME: join(this.root, '.local/state'),
      XDG_CACHE_HOME: join(this.root, '.cache'),
      XDG_RUNTIME_DIR: this.run,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Test',
      GIT_AUTHOR_EMAIL: 'test@localhost',
      GIT_COMMITTER_NAME: 'Test',
      GIT_COMMITTER_EMAIL: 'test@localhost',
    };
  }

  /** Makes the working directory a repository with one commit. */
  initRepository(): void {
    writeFileSync(join(this.work, 'README'), 'a project\n');
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      ['commit', '-qm', 'first'],
    ]) {
      const done = Bun.spawnSync(['git', ...args], { cwd: this.work, env: this.env });
      if (done.exitCode !== 0) throw new Error(done.stderr.toString());
    }
  }

  [Symbol.dispose](): void {
    if (this.#stateBefore === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = this.#stateBefore;
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** A running `aish serve`. */
export interface RunningDaemon {
  /** `unix:PATH`, or the URL. */
  readonly address: string;
  readonly socket: string;
  readonly tokenFile: string | null;
  readonly pid: number;
  /** Sends a request over the address; a relative path is enough. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** The exit status and all text on standard error. */
  ended(): Promise<{ exit: number; error: string }>;
  stop(signal?: NodeJS.Signals): Promise<{ exit: number; error: string }>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts `aish serve` and waits until it says where it listens. */
export async function startDaemonProcess(
  home: TestHome,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningDaemon> {
  const child = Bun.spawn([...PROGRAM, 'serve', ...args], {
    cwd: home.work,
    env: { ...home.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const errors = new Response(child.stderr).text();
  const ended = async () => ({ exit: await child.exited, error: await errors });
  const [, address = '', tokenFile = null] =
    /^listening (\S+)(?: token-file (.+))?$/.exec(await firstLine(child.stdout)) ?? [];
  if (address === '') throw new Error(`aish serve ended: ${JSON.stringify(await ended())}`);
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended();
  };
  const socket = address.replace(/^unix:/, '');
  const request = (path: string, init: RequestInit = {}) =>
    address.startsWith('unix:')
      ? fetch(`http://localhost${path}`, { ...init, unix: socket })
      : fetch(`${address}${path}`, init);
  return {
    address,
    socket,
    tokenFile,
    pid: child.pid,
    request,
    ended,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

/** Runs `aish serve` with arguments it is to refuse. */
export async function refusedDaemon(
  home: TestHome,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const child = Bun.spawn([...PROGRAM, 'serve', ...args], {
    cwd: home.work,
    env: { ...home.env, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  return { exit: await child.exited, error: await new Response(child.stderr).text() };
}

/** A request with a JSON body. */
export function json(body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}
