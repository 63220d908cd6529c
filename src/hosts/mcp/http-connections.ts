import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { type Connection, report } from './open-connection.ts';

/** A connection of the older protocol, which names it in each request. */
interface NamedConnection {
  readonly connection: Connection;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

const NAME = 'mcp-session-id';

/** More connections than these are refused: a client may leave without a word. */
const MOST = 100;

/** The connections of a port. Requests of the newer protocol name no connection, so all of them share one session. */
export class HttpConnections {
  readonly #open: () => Connection;
  readonly #named = new Map<string, NamedConnection>();
  readonly #shared: Connection;
  readonly #modern: McpHttpHandler;

  constructor(open: () => Connection) {
    this.#open = open;
    this.#shared = open();
    const onerror = ({ message }: Error): void => report(message);
    this.#modern = createMcpHandler(this.#shared.createServer, { legacy: 'reject', onerror });
  }

  async answer(request: Request): Promise<Response> {
    const named = this.#named.get(request.headers.get(NAME) ?? '');
    if (named !== undefined) return named.transport.handleRequest(request);
    // A client whose connection is unknown begins anew after this status.
    if (request.headers.has(NAME)) return new Response(null, { status: 404 });
    if (!(await isLegacyRequest(request))) return this.#modern.fetch(request);
    if (this.#named.size >= MOST) return new Response(null, { status: 503 });
    return this.#begin(request);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#named.values()].map(closeNamed));
    await this.#modern.close();
    await this.#shared.close();
  }

  async #begin(request: Request): Promise<Response> {
    const connection = this.#open();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (name) => void this.#named.set(name, { connection, transport }),
      onsessionclosed: (name) => {
        this.#named.delete(name);
        return connection.close();
      },
    });
    await connection.createServer().connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await connection.close();
    return response;
  }
}

async function closeNamed({ connection, transport }: NamedConnection): Promise<void> {
  await connection.close();
  await transport.close();
}
