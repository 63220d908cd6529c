import { toShownUrl } from '../../core/address.ts';
import { AishError } from '../../protocol/error.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { isSafeForToken, type ServerConfig, toToken } from './credentials.ts';
import { HttpTransport } from './http-transport.ts';
import { toServerEnvironment } from './server-environment.ts';
import { StdioTransport } from './stdio-transport.ts';

/** Which server to connect to and under which circumstances. */
export interface DialOptions extends Omit<ConnectionOptions, 'createTransport'> {
  readonly alias: string;
  readonly config: ServerConfig;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly running: Set<StdioTransport>;
  /** True when a person wrote this host into the configuration, so that a token may go to it in clear text. */
  readonly trustsHost: boolean;
  onWarning(line: string): void;
}

/** Time to end by itself, and again after SIGTERM. */
const GRACE_MS = 2000;

/** Opens a connection to a server as its configuration says. */
export async function dial(options: DialOptions): Promise<Connection> {
  const token = toToken(options.alias, options.config, options.env);
  guardToken(options, token);
  return Connection.open({ ...options, createTransport: () => createTransport(options, token) });
}

function createTransport(options: DialOptions, token: string | null): StdioTransport | HttpTransport {
  const { url, command = '', args = [], env = {}, cwd = options.cwd, headers = {} } = options.config;
  const { maxMessageBytes } = options.limits;
  if (url !== undefined) return new HttpTransport(options.sdk, { url: new URL(url), token, headers, maxMessageBytes });
  return new StdioTransport({
    command,
    args,
    cwd,
    env: toServerEnvironment(options.env, env),
    maxMessageBytes,
    graceMs: GRACE_MS,
    running: options.running,
  });
}

function guardToken({ alias, config, trustsHost, onWarning }: DialOptions, token: string | null): void {
  const { url } = config;
  if (url === undefined || token === null || isSafeForToken(new URL(url))) return;
  const shown = toShownUrl(url);
  if (!trustsHost) {
    throw new AishError('mcp.auth', `the token would go to ${shown} unencrypted`, {
      hint: `use https, or name the server in the configuration under [mcp.servers.${alias}]`,
    });
  }
  onWarning(`the token of server "${alias}" goes to ${shown} unencrypted; use https where you can`);
}
