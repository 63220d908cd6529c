import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { Home } from './aish.ts';

/** A program that serves HTTP, reachable on loopback alone. */
export interface TestHttpServer extends AsyncDisposable {
  /** Address of its MCP endpoint. */
  readonly url: string;
}

/**
 * Starts a server that takes its port from PORT. It would listen on every address of the machine, so it gets a socket file
 * instead, and a port of loopback leads to it.
 */
export async function serveOverHttp(command: readonly string[], home: Home): Promise<TestHttpServer> {
  const socketPath = join(home.root, 'http.sock');
  const program = Bun.spawn([...command], {
    cwd: home.work,
    env: { ...home.env, PORT: socketPath },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  await saidIn(program.stderr, 'listening');
  const front = createServer((client) => {
    const back = connect(socketPath);
    client.on('error', () => back.destroy());
    back.on('error', () => client.destroy());
    client.pipe(back).pipe(client);
  });
  const listening = Promise.withResolvers<void>();
  front.listen(0, '127.0.0.1', () => listening.resolve());
  await listening.promise;
  const address = front.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      front.close();
      program.kill('SIGKILL');
      await program.exited;
    },
  };
}

async function saidIn(output: ReadableStream<Uint8Array>, wanted: string): Promise<void> {
  const reader = output.getReader();
  const decoder = new TextDecoder();
  let said = '';
  while (!said.includes(wanted)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the server ended: ${said}`);
    said += decoder.decode(value);
  }
  reader.releaseLock();
}
