import type { Client, RequestOptions, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { toShownUrl } from '../../core/model/server-fault.ts';

import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { settlesWithin } from '../system/patience.ts';
import { isSafeForToken, type ServerConfig, toToken } from './credentials.ts';
import { OpenFailure } from './failure.ts';
import { HttpTransport, type Sdk } from './http-transport.ts';
import { formatUnencrypted, unencrypted } from './messages.ts';
import { StdioTransport } from './stdio-transport.ts';
import type { Era } from './tool-cache.ts';

/** How long things may take, in milliseconds, and how large they may be. */
export interface Limits {
  readonly connectMs: number;
  readonly listMs: number;
  /** Silence of a running call; progress starts it anew. */
  readonly callMs: number;
  readonly callTotalMs: number;
  readonly maxMessageBytes: number;
}

/** The options for one opening of a connection. */
interface ConnectionOptions {
  readonly sdk: Sdk;
  /** The version we name ourselves with. */
  readonly clientVersion: string;
  createTransport(): StdioTransport | HttpTransport;
  /** The era the server spoke last time, if that is known and recent. */
  readonly knownEra: Era | null;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  onToolsChanged(): void;
  onClosed(lastWords: string): void;
}

const PROBE_MS = 5000;
const MAX_PAGES = 64;
const MAX_TOOLS = 10_000;

/**
 * Takes an answer as it is. The SDK's own schemas refuse a whole listing for one bad tool and a whole result for one
 * block of a newer kind; what comes is looked at piece by piece anyway.
 */
const anyResult: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'aish', validate: (value) => ({ value }) },
};

/** One open connection to one server. */
export class Connection {
  readonly version: string | null;
  readonly era: Era;
  readonly #client: Client;
  readonly #transport: StdioTransport | HttpTransport;
  readonly #limits: Limits;

  private constructor(client: Client, transport: StdioTransport | HttpTransport, limits: Limits) {
    this.#client = client;
    this.#transport = transport;
    this.#limits = limits;
    this.version = client.getServerVersion()?.version ?? null;
    this.era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy';
  }

  /** Opens a connection, speaking whichever family of revisions the server understands. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const [first, second] = toAttempts(options);
    try {
      return await Connection.#attempt(options, first);
    } catch (thrown) {
      if (options.signal.aborted || !isEraMismatch(options.sdk, thrown)) throw thrown;
      return await Connection.#attempt(options, second);
    }
  }

  static async #attempt(options: ConnectionOptions, mode: 'legacy' | 'auto'): Promise<Connection> {
    const { sdk, limits, signal } = options;
    signal.throwIfAborted();
    const client = new sdk.Client(
      { name: 'aish', version: options.clientVersion },
      { capabilities: {}, versionNegotiation: { mode, probe: { timeoutMs: Math.min(PROBE_MS, limits.connectMs) } } },
    );
    const transport = options.createTransport();
    client.setNotificationHandler('notifications/tools/list_changed', () => options.onToolsChanged());
    try {
      await client.connect(transport, { timeout: limits.connectMs, signal });
    } catch (thrown) {
      // The words are complete when the process is gone; they are the best explanation there is.
      const lastWords = transport instanceof StdioTransport ? transport.lastWords : '';
      void transport.close();
      throw lastWords === '' ? thrown : new OpenFailure(thrown, lastWords);
    }
    client.onclose = () => options.onClosed(transport instanceof StdioTransport ? transport.lastWords : '');
    return new Connection(client, transport, limits);
  }

  get lastWords(): string {
    return this.#transport instanceof StdioTransport ? this.#transport.lastWords : '';
  }

  get hasSession(): boolean {
    return this.#transport instanceof HttpTransport && this.#transport.sessionId !== undefined;
  }

  /** Every tool of every page, as the server wrote them. */
  async listTools(signal: AbortSignal): Promise<readonly Json[]> {
    const tools: Json[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
      const params: { cursor?: string } = cursor === null ? {} : { cursor };
      const options = { timeout: this.#limits.listMs, signal };
      const result = await this.#client.request({ method: 'tools/list', params }, anyResult, options);
      if (!isJsonObject(result)) break;
      if (Array.isArray(result.tools)) tools.push(...result.tools);
      const next = result.nextCursor;
      // A server that gives the same cursor again would never come to an end.
      if (typeof next !== 'string' || next === '' || next === cursor) break;
      cursor = next;
    }
    return tools.slice(0, MAX_TOOLS);
  }

  /** Calls a tool and gives the result as the server wrote it. */
  async callTool(name: string, args: JsonObject, schema: JsonObject, signal: AbortSignal): Promise<unknown> {
    const options: RequestOptions = {
      signal,
      timeout: this.#limits.callMs,
      maxTotalTimeout: this.#limits.callTotalMs,
      resetTimeoutOnProgress: true,
      // A listener makes the server send progress, and only then progress resets the clock.
      onprogress: () => {},
    };
    const params = { name, arguments: { ...args } };
    if (this.era === 'legacy') return this.#client.request({ method: 'tools/call', params }, anyResult, options);
    // The stateless revisions mirror some arguments into headers, which the SDK does from the definition it is given.
    const toolDefinition = { name, inputSchema: { ...schema, type: 'object' as const } };
    return this.#client.callTool(params, { ...options, toolDefinition });
  }

  /** Whether a child process says anything at all within a time; a server elsewhere is not ours to classify. */
  async isAnswering(withinMs: number): Promise<boolean> {
    if (!(this.#transport instanceof StdioTransport)) return true;
    const asked = this.#client.request({ method: 'ping' }, anyResult, { timeout: 2 * withinMs });
    // That it does not know the question is an answer.
    return settlesWithin(
      asked.catch(() => {}),
      withinMs,
    );
  }

  /** Ends a child process and everything it started at once. */
  async kill(): Promise<void> {
    if (this.#transport instanceof StdioTransport) this.#transport.killNow();
    await this.close();
  }

  /** Ends the connection and, for a child process, everything it started. */
  async close(): Promise<void> {
    this.#client.onclose = () => {};
    await this.#transport.close();
  }
}

/**
 * Which handshake first. Asking a child process which one it speaks can end it (many exit on an unknown first request), so it
 * gets the common one first and is only started again when it says it does not know it. Over HTTP asking is one cheap request.
 */
function toAttempts(options: ConnectionOptions): ['legacy' | 'auto', 'legacy' | 'auto'] {
  return options.knownEra === 'modern' || options.knownEra === null ? ['auto', 'legacy'] : ['legacy', 'auto'];
}

function isEraMismatch(sdk: Sdk, thrown: unknown): boolean {
  const error = thrown instanceof OpenFailure ? thrown.thrown : thrown;
  if (sdk.ProtocolError.isInstance(error)) return true;
  if (sdk.SdkHttpError.isInstance(error)) return [400, 404, 405, 406, 500, 501].includes(error.status);
  return sdk.SdkError.isInstance(error) && error.code === sdk.SdkErrorCode.EraNegotiationFailed;
}

interface DialOptions extends Omit<ConnectionOptions, 'createTransport'> {
  readonly alias: string;
  readonly config: ServerConfig;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly running: Set<StdioTransport>;
  /** True when a user wrote this host into the configuration, so that a token may go to it in clear text. */
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
  if (!trustsHost) throw unencrypted(alias, shown);
  onWarning(formatUnencrypted(alias, shown));
}

const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'];

/**
 * The environment a server starts with: a short list of harmless names and what its configuration adds. Secrets of other programs stay
 * here.
 */
function toServerEnvironment(
  inherited: Readonly<Record<string, string | undefined>>,
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(inherited)) {
    if (value !== undefined && (INHERITED.includes(name) || name.startsWith('LC_'))) environment[name] = value;
  }
  return { ...environment, ...configured };
}
