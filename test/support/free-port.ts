/** A port of this machine that nobody listens at now. */
export function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}
