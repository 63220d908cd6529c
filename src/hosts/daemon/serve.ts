import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { loadConfig } from '../../adapters/config/load.ts';
import { type Environment, openRuntimeFolder, toPaths } from '../../adapters/config/paths.ts';
import { IdleCode } from '../../adapters/system/idle-code.ts';
import { takeLock, writeAtomically } from '../../adapters/system/own-file.ts';
import { enterDirectory, ownProgram } from '../../adapters/system/own-program.ts';
import { systemCalls } from '../../adapters/system/system-calls.ts';
import type { Options } from '../../core/command-line/invocation.ts';
import { APPROVALS } from '../../core/command-line/invocation.ts';
import { type GivenOptions, misuse, readArgs } from '../../core/command-line/subcommand-args.ts';
import { toSettings } from '../../core/session/settings.ts';
import { sanitizeText } from '../../core/text/sanitize.ts';
import { Engine } from '../../engine/session/engine.ts';
import type { OpenShow } from '../../engine/session/session-server.ts';
import type { Config } from '../../protocol/config.ts';
import { formatError, toErrorFact } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { VERSION } from '../../protocol/version.ts';
import { type AppOptions, createApp, createMcpApp, type Guard } from './app.ts';
import { LiveSessions, type LiveSessionsOptions } from './live-sessions.ts';
import * as messages from './messages.ts';
import { badToken, cannotListen, daemonRunning, longSocketPath, notASocket } from './messages.ts';
import { type ListenAt, openServer } from './serve-app.ts';
import { Heartbeat, type SocketClient } from './streams.ts';

/** The options that may stand before the word `serve`; limits may stand behind it as well. */
type ServeOptions = Pick<Options, 'model' | 'cwd' | 'config' | 'approve' | 'maxSteps'>;

/** `aish serve`: answers over HTTP until a signal ends it. The answer is the exit status. */
export async function runServe(args: readonly string[], options: ServeOptions, openShow: OpenShow): Promise<number> {
  const { options: given } = readArgs('serve', args);
  const listen = toListen(given);
  allowMoreRequests(process.env);
  const ended = nextSignal();
  const { engine, daemon } = await open(listen, withLimits(options, given), openShow);
  try {
    const token = daemon.tokenFile === null ? '' : ` token-file ${daemon.tokenFile}`;
    writeSync(1, `listening ${daemon.address}${token}\n`);
    await ended;
    await engine.halt('signal');
    return 0;
  } finally {
    await daemon.close();
    await engine.close();
  }
}

/** The limits behind the word `serve` count before those that stand before it. */
function withLimits(options: ServeOptions, given: GivenOptions): ServeOptions {
  const approve = APPROVALS.find((mode) => mode === given.get('--approve'));
  return { ...options, ...omitUndefined({ approve, maxSteps: given.number('--max-steps') }) };
}

async function open(
  listen: ReturnType<typeof toListen>,
  options: ServeOptions,
  openShow: OpenShow,
): Promise<{ engine: Engine; daemon: Daemon }> {
  const cwd = enterDirectory(options.cwd);
  const { AISH_TOKEN, ...env } = withoutOwnSetting(process.env);
  delete process.env.AISH_TOKEN; // Neither the shell nor a tool server of a session may read it.
  const file = options.config === undefined ? {} : { file: options.config };
  const loaded = await loadConfig({ env, cwd, ...file });
  const { config } = loaded;
  for (const warning of loaded.warnings) report(warning);
  const { model, approve, maxSteps } = options;
  const settings = toSettings(config, omitUndefined({ model, approve, maxSteps }));
  const paths = toPaths(env);
  const runtimeFolder = (): string => openRuntimeFolder(env);
  const onServerStatus = (_status: unknown, line: string | null): void => {
    if (line !== null) report(line);
  };
  const engine = new Engine({ config, paths, env, cwd, version: VERSION, runtimeFolder, onServerStatus });
  const daemon = startDaemon({
    engine,
    config,
    settings,
    env: { ...env, AISH_TOKEN },
    stateDir: paths.state,
    cwd,
    listen: toAddress(listen, runtimeFolder),
    show: openShow({ engine, setup: { env, cwd, paths, loaded, settings } }),
    onFault: (thrown) => void engine.redact(formatError(toErrorFact(thrown))).then(report),
  });
  return { engine, daemon };
}

function toAddress(listen: ReturnType<typeof toListen>, runtimeFolder: () => string) {
  if (listen.type === 'tcp') return listen;
  return {
    type: 'socket',
    path: listen.path === null ? join(runtimeFolder(), 'aish.sock') : resolve(listen.path),
  } as const;
}

function report(line: string): void {
  writeSync(2, `aish: ${sanitizeText(line)}\n`);
}

function nextSignal(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => done());
  });
}

/** Read by Bun once, when a process begins: how many HTTP requests it has under way at once. */
const VARIABLE = 'BUN_CONFIG_MAX_HTTP_REQUESTS';
const MOST = '4096';

/**
 * Begins this process anew, once, with room for more requests to models. Bun lets 256 go at a time, and each session with an
 * answer streaming holds one: the next would stand still until another ends. Costs a start of some milliseconds and keeps
 * the process id. Returns where that is done already, was set by the owner, or cannot be.
 */
function allowMoreRequests(env: Readonly<Record<string, string | undefined>>): void {
  if (env[VARIABLE] !== undefined) return;
  const [program] = ownProgram();
  systemCalls()?.execute(program, [program, ...process.argv.slice(2)], { ...env, [VARIABLE]: MOST });
}

/** The environment without what was set for this process alone. */
function withoutOwnSetting(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const { [VARIABLE]: most, ...rest } = env;
  return most === undefined || most === MOST ? rest : { ...rest, [VARIABLE]: most };
}

function toListen(given: GivenOptions) {
  const [socket, host, port] = [given.get('--socket'), given.get('--host'), given.number('--port')];
  if (port === undefined && host === undefined) return { type: 'socket', path: socket ?? null } as const;
  if (socket !== undefined) throw misuse('serve', messages.SOCKET_OR_PORT);
  return { type: 'tcp', host: host ?? '127.0.0.1', port: port ?? 3000 } as const;
}

/** The start options of a daemon. */
export interface DaemonOptions extends Omit<LiveSessionsOptions, 'models' | 'most'> {
  readonly config: Config;
  readonly env: Environment;
  readonly listen: ListenAt;
  readonly heartbeatMs?: number;
  readonly onFault: (thrown: unknown) => void;
}

/** A daemon that answers. */
interface Daemon {
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
    mostWaiting: 5000,
    ...options,
    models: Object.keys(options.config.models),
    most: 2000,
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
  const release = claimSocket(path);
  try {
    const server = listen({ type: 'socket', path }, createApp({ ...deps, guard: null }), deps);
    const close = async (): Promise<void> => {
      await deps.sessions.closeAll();
      await server.stop(true);
      release();
    };
    return { address: `unix:${path}`, tokenFile: null, close };
  } catch (thrown) {
    release();
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

/** A server without requests for so long is idle. */
const REST_MS = 500;

function listen(at: ListenAt, app: App, { onFault }: Pick<DaemonDeps, 'onFault'>): Bun.Server<SocketClient> {
  const code = new IdleCode(REST_MS);
  const used = (): App => {
    code.used();
    return app;
  };
  used();
  try {
    return openServer({ at, app: used, onFault });
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

/** The longest address of a unix socket, its closing zero left out. */
const LONGEST = process.platform === 'darwin' ? 103 : 107;

/**
 * Makes a socket path free to bind. A socket file outlives a killed daemon and binding says nothing of whether somebody listens, so
 * ownership is a lock on a file beside it, which the kernel frees with the process; only its holder removes what lies at the path. The
 * answer removes the socket and lets others have the path.
 */
function claimSocket(path: string): () => void {
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
  return () => {
    rmSync(path, { force: true });
    releaseLock();
    closeSync(fd);
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
