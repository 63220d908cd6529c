import { chmodSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { limitSettings } from '../../core/client-settings.ts';
import type { LiveSession } from '../../engine/engine.ts';
import type { SessionDoor, SessionDoorOptions } from '../../engine/session-door.ts';
import { TerminalShare } from '../../engine/terminal-share.ts';
import { AishError, type ErrorFact } from '../../protocol/error.ts';
import type { LookRequest } from '../../protocol/look.ts';
import type { Op } from '../../protocol/op.ts';
import { VERSION } from '../version.ts';
import type { createApp } from './app.ts';
import { HttpError } from './http-error.ts';
import { answerLook, describeOpen, type SessionHost } from './live-sessions.ts';
import { answer, SOCKETS } from './serve-app.ts';
import { guardSocket } from './socket-guard.ts';

/*
 * The door of a session that a person has open at a terminal: the daemon's HTTP API on a socket of its own, with this one session behind it.
 * The socket is bound behind the prompt, which costs a millisecond; what answers is loaded with the first request. Whose the path is was
 * decided before: only who holds the lock of the session's log binds it, so what lies there is of a process that is gone.
 */

const MOST_EVENTS_WAITING = 20_000;
const BEAT_MS = 10_000;
/** What has been told may take so long to arrive. */
const LAST_WORDS_MS = 100;

/** Opens the door. */
export function openSessionDoor(options: SessionDoorOptions): SessionDoor {
  const { live, path, owner } = options;
  const share = new TerminalShare({ ...live, owner });
  const host = new OneSession(options, share);
  let app: Promise<ReturnType<typeof createApp>> | null = null;
  const load = async (): Promise<ReturnType<typeof createApp>> => {
    const [{ createApp }, { Heartbeat }] = await Promise.all([import('./app.ts'), import('./heartbeat.ts')]);
    const rest = { version: VERSION, guard: null, mostWaiting: MOST_EVENTS_WAITING, onFault: options.onFault };
    return createApp({ sessions: host, heartbeat: new Heartbeat(BEAT_MS), ...rest });
  };
  const { server, ino } = bind(options, async (request, own) => {
    app ??= load();
    return answer(await app, request, own);
  });
  return {
    path,
    share,
    withdraw: () => {
      if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
    },
    close: async () => {
      share.close();
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, LAST_WORDS_MS);
      await Promise.race([server.stop(false), late.promise]);
      clearTimeout(timer);
      await server.stop(true);
    },
  };
}

/**
 * Where Bun gives up a quiet connection it prints so, across the owner's screen; and whoever comes here is the owner's own user. Its types do
 * not know the option beside a socket.
 */
const PATIENT: object = { idleTimeout: 0 };

/** A server takes the name away that it was bound under when it stops, whoever's that is by then: so it is bound under one that nobody else has. */
function bind({ path, onFault }: Pick<SessionDoorOptions, 'path' | 'onFault'>, handle: Handler) {
  const mask = process.umask(0o077);
  try {
    const own = `${path}.${crypto.randomUUID().slice(0, 8)}`;
    const refuse = guardSocket(own, onFault);
    const server = Bun.serve({
      ...PATIENT,
      unix: own,
      fetch: (request, by) => refuse() ?? handle(request, by),
      websocket: SOCKETS,
    });
    chmodSync(own, 0o600);
    const { ino } = lstatSync(own);
    renameSync(own, path);
    return { server, ino };
  } catch (cause) {
    throw new AishError('session.no-door', `no other terminal can join this session: ${String(cause)}`, {
      hint: 'it goes on all the same; XDG_RUNTIME_DIR names the folder of its socket',
      cause,
    });
  } finally {
    process.umask(mask);
  }
}

type Handler = (request: Request, server: Parameters<typeof answer>[2]) => Promise<Response | undefined>;

/** The one session behind a door, in the place of all those of a daemon. */
class OneSession implements SessionHost {
  readonly size = 1;
  readonly #options: SessionDoorOptions;
  readonly #share: TerminalShare;
  readonly #openedAt = Date.now();

  constructor(options: SessionDoorOptions, share: TerminalShare) {
    this.#options = options;
    this.#share = share;
  }

  get #live(): LiveSession {
    return this.#options.live;
  }

  async open(body: Parameters<SessionHost['open']>[0]): ReturnType<SessionHost['open']> {
    if (body.resume !== undefined) return { live: this.get(body.resume), fresh: false };
    throw notHere('open another session');
  }

  get(id: string): LiveSession {
    const { sessionId } = this.#live.session;
    if (id === sessionId) return this.#live;
    throw new AishError('session.not-found', `this is the socket of session ${sessionId}, not of "${id}"`, {
      hint: 'each session that is open at a terminal has a socket of its own',
    });
  }

  submit(id: string, op: Op, seat?: string): ErrorFact | null {
    const { session } = this.get(id);
    if (op.type === 'configure') {
      const limited = limitSettings(session.state.settings, op.settings, this.#options.models);
      if (!limited.ok) return limited.error;
    }
    return session.take(op, seat);
  }

  look(live: LiveSession, request: LookRequest): Promise<string> {
    return answerLook(this.#options.look, request, live);
  }

  share(): TerminalShare {
    return this.#share;
  }

  async close(): Promise<void> {
    throw notHere('end the session');
  }

  async release(): Promise<void> {
    throw notHere('end the session');
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

function notHere(what: string): HttpError {
  return new HttpError(403, {
    code: 'session.owned',
    message: `somebody has this session open at a terminal, so nobody can ${what} here`,
    hint: 'use aish serve for sessions of your own',
  });
}
