import { chmodSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { withTimeout } from '../../adapters/system/patience.ts';
import { limitSettings } from '../../core/session/limit-settings.ts';
import type { LiveSession } from '../../engine/session/engine.ts';
import { LocalSessionClient } from '../../engine/session/local-session-client.ts';
import type { SessionServer, SessionServerOptions } from '../../engine/session/session-server.ts';
import { TerminalShare } from '../../engine/session/terminal-share.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import type { Op } from '../../protocol/op.ts';
import { VERSION } from '../../protocol/version.ts';
import type { createApp } from './app.ts';
import { describeOpen, type SessionHost } from './live-sessions.ts';
import { noSocket, otherSession, ownedSession } from './messages.ts';
import { openServer } from './serve-app.ts';

/*
 * The server of a session that a user has open at a terminal: the daemon's HTTP API on a socket of its own, with this one session behind
 * it.
 *
 * The socket is bound behind the prompt, which costs a millisecond; the routes are loaded with the first request. The owner of the path is
 * already certain: only the holder of the lock of the session's log binds it, so an old socket there belongs to a process that is gone.
 */

const MOST_EVENTS_WAITING = 20_000;
const BEAT_MS = 10_000;
/** Longest wait for the last bytes to arrive. */
const LAST_WORDS_MS = 100;

/** Opens the session server. */
export function openSessionServer(options: SessionServerOptions): SessionServer {
  const { live, path, owner } = options;
  const share = new TerminalShare({ ...live, owner });
  const host = new OneSession(options, share);
  let app: Promise<App> | null = null;
  const load = async (): Promise<App> => {
    const [{ createApp }, { Heartbeat }] = await Promise.all([import('./app.ts'), import('./streams.ts')]);
    const rest = { version: VERSION, guard: null, onFault: options.onFault };
    return createApp({ sessions: host, heartbeat: new Heartbeat(options.beatMs ?? BEAT_MS), ...rest });
  };
  const { server, ino } = bind(options, () => {
    app ??= load();
    return app;
  });
  return {
    path,
    share,
    withdraw: () => {
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
    },
    close: async () => {
      share.close();
      await withTimeout(server.stop(false), LAST_WORDS_MS);
      await server.stop(true);
    },
  };
}

/**
 * A server removes its socket file when it stops, even if another server has that path by then. So it binds a unique path first, and
 * renames the file.
 */
function bind({ path, onFault }: Pick<SessionServerOptions, 'path' | 'onFault'>, app: () => Promise<App>) {
  try {
    const own = `${path}.${crypto.randomUUID().slice(0, 8)}`;
    const server = openServer({ at: { type: 'socket', path: own }, app, onFault });
    chmodSync(own, 0o600);
    const { ino } = lstatSync(own);
    renameSync(own, path);
    return { server, ino };
  } catch (cause) {
    throw noSocket(cause);
  }
}

type App = ReturnType<typeof createApp>;

/** The one session of a session server, in place of the sessions of a daemon. */
class OneSession implements SessionHost {
  readonly size = 1;
  readonly #options: SessionServerOptions;
  readonly #share: TerminalShare;
  readonly #openedAt = Date.now();

  constructor(options: SessionServerOptions, share: TerminalShare) {
    this.#options = options;
    this.#share = share;
  }

  get #live(): LiveSession {
    return this.#options.live;
  }

  async open(body: Parameters<SessionHost['open']>[0]): ReturnType<SessionHost['open']> {
    if (body.resume !== undefined) return { live: this.get(body.resume), fresh: false };
    throw ownedSession('open another session');
  }

  get(id: string): LiveSession {
    const { sessionId } = this.#live.session;
    if (id === sessionId) return this.#live;
    throw otherSession(sessionId, id);
  }

  client(id: string, name?: string): LocalSessionClient {
    return new LocalSessionClient({
      live: this.get(id),
      name,
      share: () => this.#share,
      show: this.#options.show,
      mostWaiting: this.#options.mostWaiting ?? MOST_EVENTS_WAITING,
      refuse: (op) => this.#refuse(op),
      onClose: () => this.close(),
    });
  }

  #refuse(op: Op): ErrorFact | null {
    if (op.type !== 'configure') return null;
    const limited = limitSettings(this.#live.session.state.settings, op.settings, this.#options.models);
    return limited.ok ? null : limited.error;
  }

  async close(): Promise<void> {
    throw ownedSession('end the session');
  }

  async release(): Promise<void> {
    throw ownedSession('end the session');
  }

  async haltAll(): Promise<number> {
    const { session } = this.#live;
    const isBusy = session.state.turn !== null || session.state.restore !== null;
    session.take({ type: 'halt' });
    await session.halted();
    return isBusy ? 1 : 0;
  }

  async list(): Promise<readonly object[]> {
    return [describeOpen(this.#live, this.#openedAt)];
  }
}
