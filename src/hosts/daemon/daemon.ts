import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../../adapters/config/paths.ts';
import { takeLock } from '../../adapters/system/file-lock.ts';
import { writeAtomically } from '../../adapters/system/own-file.ts';
import { systemCalls } from '../../adapters/system/system-calls.ts';
import type { Engine } from '../../engine/session/engine.ts';
import type { AnswerShow } from '../../engine/session/session-server.ts';
import type { Config } from '../../protocol/config.ts';
import type { Settings } from '../../protocol/settings.ts';
import { VERSION } from '../../protocol/version.ts';
import { type AppOptions, createApp, createMcpApp, type Guard } from './app.ts';
import { LiveSessions } from './live-sessions.ts';
import { badToken, cannotListen, daemonRunning, longSocketPath, notASocket } from './messages.ts';
import { type ListenAt, openServer } from './serve-app.ts';
import { Heartbeat, type SocketClient } from './streams.ts';

/** The start options of a daemon. */
export interface DaemonOptions {
  readonly engine: Engine;
  readonly config: Config;
  readonly settings: Settings;
  readonly env: Environment;
  readonly stateDir: string;
  readonly cwd: string;
  readonly listen: ListenAt;
  readonly heartbeatMs?: number;
  /** Live events that may wait for one reader. */
  readonly mostWaiting?: number;
  /** Sessions open at once at most. */
  readonly mostSessions?: number;
  /** Answers clients that ask what a meta-command prints. */
  readonly show?: AnswerShow;
  readonly onFault: (thrown: unknown) => void;
}

/** A daemon that answers. */
export interface Daemon {
  /** `unix:PATH`, or the URL. */
  readonly address: string;
  /** The file with the token, if the daemon made it. */
  readonly tokenFile: string | null;
  close(): Promise<void>;
}

type App = ReturnType<typeof createApp>;

/** Begins to listen. The sessions are opened by `engine`, which stays the caller's to close. */
export function startDaemon(options: DaemonOptions): Daemon {
  const sessions = new LiveSessions({
    engine: options.engine,
    settings: options.settings,
    models: Object.keys(options.config.models),
    stateDir: options.stateDir,
    cwd: options.cwd,
    most: options.mostSessions ?? 2000,
    mostWaiting: options.mostWaiting ?? 5000,
    ...(options.show === undefined ? {} : { show: options.show }),
  });
  const deps = {
    sessions,
    heartbeat: new Heartbeat(options.heartbeatMs ?? 10_000),
    version: VERSION,
    onFault: options.onFault,
  };
  const at = options.listen;
  return at.type === 'socket' ? listenOnSocket(at.path, deps) : listenOnPort(at, deps, options);
}

type DaemonDeps = Omit<AppOptions, 'guard' | 'sessions'> & { readonly sessions: LiveSessions };

function listenOnSocket(path: string, deps: DaemonDeps): Daemon {
  const claim = claimSocket(path);
  try {
    const server = listen({ type: 'socket', path }, createApp({ ...deps, guard: null }), deps);
    const close = async (): Promise<void> => {
      await deps.sessions.closeAll();
      await server.stop(true);
      claim.release();
    };
    return { address: `unix:${path}`, tokenFile: null, close };
  } catch (thrown) {
    claim.release();
    throw thrown;
  }
}

function listenOnPort(at: Port, deps: DaemonDeps, options: DaemonOptions): Daemon {
  const opened = openPort(at, { ...options, onFault: deps.onFault }, (guard) => createApp({ ...deps, guard }));
  const close = async (): Promise<void> => {
    await deps.sessions.closeAll();
    await opened.close();
  };
  return { ...opened, close };
}

interface Port {
  readonly host: string;
  readonly port: number;
}

type PortOptions = Pick<DaemonOptions, 'env' | 'stateDir' | 'onFault'>;

/** Begins to answer clients of the MCP server, at the path `/mcp` of a port. */
export function startMcpEndpoint(
  at: Port,
  options: PortOptions,
  answer: (request: Request) => Promise<Response>,
): Daemon {
  return openPort(at, options, (guard) => createMcpApp({ guard, onFault: options.onFault }, answer));
}

/** Opens a port whose clients show a token. */
function openPort(at: Port, { env, stateDir, onFault }: PortOptions, create: (guard: Guard) => App): Daemon {
  const token = chooseToken(env);
  let port = at.port;
  const app = create({ token: token.value, port: () => port });
  const server = listen({ type: 'tcp', ...at }, app, { onFault });
  port = server.port ?? at.port;
  const tokenFile = token.source === 'made' ? writeToken(stateDir, port, token.value) : null;
  const close = async (): Promise<void> => {
    await server.stop(true);
    if (tokenFile !== null) rmSync(tokenFile, { force: true });
  };
  const name = at.host.includes(':') ? `[${at.host}]` : at.host;
  return { address: `http://${name}:${port}`, tokenFile, close };
}

function listen(at: ListenAt, app: App, { onFault }: Pick<DaemonDeps, 'onFault'>): Bun.Server<SocketClient> {
  try {
    return openServer({ at, app: () => app, onFault });
  } catch (cause) {
    throw cannotListen(at, cause);
  }
}

/** The secret a client over TCP shows, and where it came from. */
interface Token {
  readonly value: string;
  readonly source: 'environment' | 'made';
}

const SHORTEST = 16;

/** The token of `AISH_TOKEN`, else a fresh one. */
function chooseToken(env: Environment): Token {
  const given = env.AISH_TOKEN;
  if (given === undefined || given === '') return { value: randomText(), source: 'made' };
  if (given.length >= SHORTEST && /^[\x21-\x7e]+$/.test(given)) return { value: given, source: 'environment' };
  throw badToken(SHORTEST);
}

function randomText(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url');
}

/** Stores the token for clients of this user. The file name contains the port, so that two daemons do not mix their tokens. */
function writeToken(stateDir: string, port: number, value: string): string {
  const path = join(stateDir, `daemon-${port}.token`);
  writeAtomically(path, `${value}\n`);
  return path;
}

/** The right to bind a socket path, held until it is released. */
interface SocketClaim {
  readonly path: string;
  /** Removes the socket and lets others have the path. */
  release(): void;
}

/** The longest address of a unix socket, its closing zero left out. */
const LONGEST = process.platform === 'darwin' ? 103 : 107;

/**
 * Makes a socket path free to bind. A socket file outlives a killed daemon and binding says nothing of whether somebody listens, so
 * ownership is a lock on a file beside it, which the kernel frees with the process; only its holder removes what lies at the path.
 */
function claimSocket(path: string): SocketClaim {
  refuseLong(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  refuseOther(path);
  const lockPath = `${path}.lock`;
  const fd = openSync(lockPath, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  const releaseLock = takeLock(fd, lockPath, systemCalls());
  if (releaseLock === null) {
    closeSync(fd);
    throw daemonRunning(path);
  }
  rmSync(path, { force: true });
  return {
    path,
    release: () => {
      rmSync(path, { force: true });
      releaseLock();
      closeSync(fd);
    },
  };
}

function refuseLong(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes > LONGEST) throw longSocketPath(path, bytes, LONGEST);
}

function refuseOther(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && !stat.isSocket()) throw notASocket(path);
}
