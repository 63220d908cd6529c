import { rmSync } from 'node:fs';
import type { Environment } from '../../adapters/config/paths.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AnswerLook } from '../../engine/look.ts';
import type { Config } from '../../protocol/config.ts';
import { AishError } from '../../protocol/error.ts';
import type { Settings } from '../../protocol/settings.ts';
import { VERSION } from '../version.ts';
import { type AppOptions, createApp } from './app.ts';
import { Heartbeat } from './heartbeat.ts';
import { LiveSessions } from './live-sessions.ts';
import type { SocketSeat } from './seats.ts';
import { answer, SOCKETS } from './serve-app.ts';
import { claimSocket } from './socket-claim.ts';
import { guardSocket } from './socket-guard.ts';
import { chooseToken, writeToken } from './token.ts';

/** What a daemon is started with. */
export interface DaemonOptions {
  readonly engine: Engine;
  readonly config: Config;
  readonly settings: Settings;
  readonly env: Environment;
  readonly stateDir: string;
  readonly cwd: string;
  readonly listen:
    | { readonly type: 'socket'; readonly path: string }
    | { readonly type: 'tcp'; readonly host: string; readonly port: number };
  readonly heartbeatMs?: number;
  /** Live events that may wait for one reader. */
  readonly mostWaiting?: number;
  /** Sessions open at once at most. */
  readonly mostSessions?: number;
  /** Answers seats that look at a session. */
  readonly look?: AnswerLook;
  readonly onFault: (thrown: unknown) => void;
}

/** A daemon that answers. */
export interface Daemon {
  /** `unix:PATH`, or the URL. */
  readonly address: string;
  /** Where the token was written, if it was made here. */
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
    ...(options.look === undefined ? {} : { look: options.look }),
  });
  const parts = {
    sessions,
    heartbeat: new Heartbeat(options.heartbeatMs ?? 10_000),
    version: VERSION,
    mostWaiting: options.mostWaiting ?? 5000,
    onFault: options.onFault,
  };
  const { listen } = options;
  return listen.type === 'socket' ? listenOnSocket(listen.path, parts) : listenOnPort(listen, parts, options);
}

type Parts = Omit<AppOptions, 'guard' | 'sessions'> & { readonly sessions: LiveSessions };

function listenOnSocket(path: string, parts: Parts): Daemon {
  const claim = claimSocket(path);
  const app = createApp({ ...parts, guard: null });
  const mask = process.umask(0o077);
  try {
    const refuse = guardSocket(path, parts.onFault);
    const server = Bun.serve({
      unix: path,
      fetch: (request, own) => refuse() ?? answer(app, request, own),
      websocket: SOCKETS,
    });
    const close = async (): Promise<void> => {
      await parts.sessions.closeAll();
      await server.stop(true);
      claim.release();
    };
    return { address: `unix:${path}`, tokenFile: null, close };
  } catch (cause) {
    claim.release();
    throw new AishError('daemon.listen', `cannot listen on ${path}: ${String(cause)}`, {
      hint: 'name another place with --socket',
      cause,
    });
  } finally {
    process.umask(mask);
  }
}

function listenOnPort(at: { host: string; port: number }, parts: Parts, options: DaemonOptions): Daemon {
  const token = chooseToken(options.env);
  let port = at.port;
  const app = createApp({ ...parts, guard: { token: token.value, port: () => port } });
  const server = serveTcp(app, at);
  port = server.port ?? at.port;
  const tokenFile = token.source === 'made' ? writeToken(options.stateDir, port, token.value) : null;
  const close = async (): Promise<void> => {
    await parts.sessions.closeAll();
    await server.stop(true);
    if (tokenFile !== null) rmSync(tokenFile, { force: true });
  };
  const name = at.host.includes(':') ? `[${at.host}]` : at.host;
  return { address: `http://${name}:${port}`, tokenFile, close };
}

function serveTcp(app: App, { host, port }: { host: string; port: number }): Bun.Server<SocketSeat> {
  try {
    return Bun.serve({ hostname: host, port, fetch: (request, own) => answer(app, request, own), websocket: SOCKETS });
  } catch (cause) {
    throw new AishError('daemon.listen', `cannot listen on ${host}:${port}: ${String(cause)}`, {
      hint: 'choose another port with --port, or 0 for any free one',
      cause,
    });
  }
}
