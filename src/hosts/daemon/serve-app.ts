import type { createApp } from './app.ts';
import type { SocketSeat } from './seats.ts';

type App = ReturnType<typeof createApp>;

/** Answers one request. A quiet connection is cut after ten seconds unless its route says that it may be quiet. */
export async function answer(
  app: App,
  request: Request,
  server: Bun.Server<SocketSeat>,
): Promise<Response | undefined> {
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

/** Hands what happens to a connection on to the seat at its end. */
export const SOCKETS: Bun.WebSocketHandler<SocketSeat> = {
  open: (socket) => socket.data.open(socket),
  message: (socket, message) => socket.data.take(message),
  drain: (socket) => socket.data.drained(),
  close: (socket) => socket.data.close(),
  idleTimeout: 0,
  maxPayloadLength: 1024 * 1024,
};
