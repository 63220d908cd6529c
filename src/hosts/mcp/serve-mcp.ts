import { writeSync } from 'node:fs';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { openRuntimeFolder } from '../../adapters/config/paths.ts';
import { readArgs } from '../../core/command-line/subcommand-args.ts';
import { once } from '../../core/text/memoize.ts';
import { sanitizeText } from '../../core/text/sanitize.ts';
import { openSecretStore } from '../../engine/secrets/process-secrets.ts';
import { Engine } from '../../engine/session/engine.ts';
import { LocalSessionClient } from '../../engine/session/local-session-client.ts';
import type { HostSetup } from '../../engine/session/session-server.ts';
import { VERSION } from '../../protocol/version.ts';
import { CallSession, HostModel } from './call-session.ts';
import { createMcpServer, type OpenCalls, type WaitingCalls } from './mcp-server.ts';
import { formatSessionName } from './messages.ts';

/** A port that answers requests to `/mcp`, behind checks of token, Host and Origin. */
interface Endpoint {
  readonly address: string;
  readonly tokenFile: string | null;
  close(): Promise<void>;
}

/** Opens the port; another host has the checks. */
type StartEndpoint = (
  at: { readonly host: string; readonly port: number },
  options: {
    readonly env: HostSetup['env'];
    readonly stateDir: string;
    readonly onFault: (thrown: unknown) => void;
  },
  answer: (request: Request) => Promise<Response>,
) => Promise<Endpoint>;

/** `aish mcp serve`: answers one client until its input ends, or clients on a port until a signal. The answer is the exit status. */
export async function serveMcp(
  args: readonly string[],
  setup: HostSetup,
  startEndpoint: StartEndpoint,
): Promise<number> {
  const port = readArgs('mcp', args).options.number('--port');
  for (const warning of setup.loaded.warnings) report(warning);
  return port === undefined ? serveInput(setup) : servePort(port, setup, startEndpoint);
}

async function serveInput(setup: HostSetup): Promise<number> {
  const ended = untilEnd();
  const connection = openConnection(setup);
  const serving = serveStdio(connection.createServer, {
    transport: new StdioServerTransport(),
    onerror: ({ message }) => report(message),
  });
  await ended;
  await connection.close();
  await serving.close();
  return 0;
}

async function servePort(port: number, setup: HostSetup, startEndpoint: StartEndpoint): Promise<number> {
  const ended = nextSignal();
  // Neither the shell nor a command of a client may read the token.
  const { AISH_TOKEN: _, ...env } = setup.env;
  const connections = new HttpConnections(() => openConnection({ ...setup, env }));
  const onFault = (thrown: unknown): void => report(thrown instanceof Error ? thrown.message : String(thrown));
  const options = { env: { ...setup.env }, stateDir: setup.paths.state, onFault };
  delete process.env.AISH_TOKEN;
  const at = { host: '127.0.0.1', port };
  const endpoint = await startEndpoint(at, options, (request) => connections.answer(request));
  const token = endpoint.tokenFile === null ? '' : ` token-file ${endpoint.tokenFile}`;
  writeSync(1, `listening ${endpoint.address}/mcp${token}\n`);
  await ended;
  await connections.close();
  await endpoint.close();
  return 0;
}

/** Settles when the client closes its end, or at a signal. */
function untilEnd(): Promise<void> {
  return new Promise((done) => {
    void nextSignal().then(done);
    process.stdin.once('end', () => done());
    process.stdin.once('close', () => done());
    process.stdout.once('error', () => done());
  });
}

function nextSignal(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => done());
  });
}

/** A client with its session. */
interface Connection {
  readonly createServer: () => McpServer;
  readonly close: () => Promise<void>;
}

/** The engine of one connection. The client is its only model, and it has no other servers. */
function openConnection(setup: HostSetup): Connection {
  const model = new HostModel();
  const { config } = setup.loaded;
  const engine = new Engine({
    ...setup,
    config: { ...config, models: {}, mcp: { ...config.mcp, servers: {} } },
    version: VERSION,
    source: model,
    runtimeFolder: () => openRuntimeFolder(setup.env),
  });
  const { models: _, ...settings } = setup.settings;
  const { approve } = setup;
  let name = '';
  const session = once(async () => {
    const live = await engine.open({
      cwd: setup.cwd,
      settings: { ...settings, model: null },
      ...(approve === undefined ? {} : { approve }),
    });
    for (const warning of live.warnings) report(warning);
    const client = new LocalSessionClient({ live });
    await client.submit({ type: 'rename', name: formatSessionName(name) });
    return new CallSession(client, model);
  });
  const openCalls: OpenCalls = (client) => {
    name ||= client;
    return session();
  };
  const waiting: WaitingCalls = new Map();
  const secrets = once(() => openSecretStore({ config, env: setup.env, cwd: setup.cwd }));
  return {
    createServer: () => createMcpServer(openCalls, waiting, { cwd: setup.cwd, paths: setup.paths, secrets }),
    close: async () => {
      await engine.halt('signal');
      await engine.close();
    },
  };
}

/** Standard output belongs to the protocol. */
function report(line: string): void {
  writeSync(2, `aish: ${sanitizeText(line)}\n`);
}

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
