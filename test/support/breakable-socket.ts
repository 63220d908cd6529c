import { connect, createServer, type Socket } from 'node:net';

/** A socket whose connections go on to another one, and can be broken off. */
export function openBreakableSocket(to: string, path: string) {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const daemon = connect(to);
    for (const [socket, other] of [
      [client, daemon],
      [daemon, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    client.pipe(daemon).pipe(client);
  });
  server.listen(path);
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  const close = (): void => {
    cut();
    server.close();
  };
  return { path, cut, close };
}
