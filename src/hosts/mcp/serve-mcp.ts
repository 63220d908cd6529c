import { writeSync } from 'node:fs';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { readArgs } from '../../core/command-line/subcommand-args.ts';
import { type ConnectionSetup, openConnection, report } from './open-connection.ts';

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
    readonly env: ConnectionSetup['env'];
    readonly stateDir: string;
    readonly onFault: (thrown: unknown) => void;
  },
  answer: (request: Request) => Promise<Response>,
) => Promise<Endpoint>;

/** `aish mcp serve`: answers one client until its input ends, or clients on a port until a signal. The answer is the exit status. */
export async function serveMcp(
  args: readonly string[],
  setup: ConnectionSetup,
  startEndpoint: StartEndpoint,
): Promise<number> {
  const port = readArgs('mcp', args).options.number('--port');
  for (const warning of setup.loaded.warnings) report(warning);
  return port === undefined ? serveInput(setup) : servePort(port, setup, startEndpoint);
}

async function serveInput(setup: ConnectionSetup): Promise<number> {
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

async function servePort(port: number, setup: ConnectionSetup, startEndpoint: StartEndpoint): Promise<number> {
  const ended = nextSignal();
  const { HttpConnections } = await import('./http-connections.ts');
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
