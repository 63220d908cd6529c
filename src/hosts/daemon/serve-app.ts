import { SocketPeers } from '../../adapters/system/socket-peers.ts';
import type { createApp } from './app.ts';
import { toErrorResponse } from './http-error.ts';
import { strangerConnected, strangerReached } from './messages.ts';
import type { SocketClient } from './streams.ts';

type App = ReturnType<typeof createApp>;

/** The address of a server: a unix socket of this user, or a port of a loopback address. */
export type ListenAt =
  | { readonly type: 'socket'; readonly path: string }
  | { readonly type: 'tcp'; readonly host: string; readonly port: number };

interface ServerOptions {
  readonly at: ListenAt;
  readonly app: () => App | Promise<App>;
  readonly onFault: (thrown: unknown) => void;
}

/** The seconds that a connection over TCP may be quiet until its request has shown the token. */
const PATIENCE = 10;

/**
 * Opens a server of aish; the daemon and the sessions at terminals use it. An error from Bun is thrown.
 *
 * Bun cuts a connection that was quiet for `idleTimeout`, and cannot lift that for one request on a unix socket: there `server.timeout` is
 * without effect. So no such limit holds there, because only this user connects; over TCP `keepOpen` lifts it.
 */
export function openServer({ at, app, onFault }: ServerOptions): Bun.Server<SocketClient> {
  const mask = process.umask(0o077);
  try {
    const refuse = at.type === 'socket' ? guardSocket(at.path, onFault) : () => null;
    // Bun's types do not know an idle timeout beside a socket.
    const place: object =
      at.type === 'socket'
        ? { unix: at.path, idleTimeout: 0 }
        : { hostname: at.host, port: at.port, idleTimeout: PATIENCE };
    return Bun.serve({
      ...place,
      development: false,
      fetch: async (request: Request, server: Bun.Server<SocketClient>) =>
        refuse() ?? (await answer(await app(), request, server)),
      error: (thrown: unknown) => {
        onFault(thrown);
        return toErrorResponse(thrown);
      },
      websocket: SOCKETS,
    });
  } finally {
    process.umask(mask);
  }
}

async function answer(app: App, request: Request, server: Bun.Server<SocketClient>): Promise<Response | undefined> {
  let isUpgraded = false;
  const response = await app.fetch(request, {
    keepOpen: () => server.timeout(request, 0),
    upgrade: (data) => {
      isUpgraded = server.upgrade(request, { data });
      return isUpgraded;
    },
  });
  return isUpgraded ? undefined : response;
}

/** Hands what happens to a connection on to the attached client at its end. */
const SOCKETS: Bun.WebSocketHandler<SocketClient> = {
  open: (socket) => socket.data.open(socket),
  message: (socket, message) => socket.data.take(message),
  drain: (socket) => socket.data.drained(),
  close: (socket) => socket.data.close(),
  idleTimeout: 0,
  maxPayloadLength: 1024 * 1024,
};

/**
 * Checks each request that comes over a socket, before anything is awaited: null for one to go on with. The rights of socket and folder
 * keep other users out; should these ever be wider, their connections are cut, and the owner gets one notice. `path` is that under which
 * the socket was bound.
 */
function guardSocket(path: string, onFault: (thrown: unknown) => void): () => Response | null {
  const peers = new SocketPeers(path);
  let isReported = false;
  return () => {
    if (peers.cutStrangers() === 0) return null;
    if (!isReported) onFault(strangerReached(path));
    isReported = true;
    // The connection of the other user is closed; this request may come from the owner.
    return toErrorResponse(strangerConnected());
  };
}
