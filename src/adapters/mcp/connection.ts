import type { Client, SSEClientTransport, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isJsonObject, type Json, type JsonObject, omitUndefined } from '../../protocol/json.ts';
import { orAborted, pause, settlesWithin } from '../system/patience.ts';
import { CallClock } from './call-limits.ts';
import { OpenFailure } from './failure.ts';
import { HttpTransport, type Sdk } from './http-transport.ts';
import { notAList, tookTooLong } from './messages.ts';
import type { CallOptions, Listed, ListKind, ListRequest } from './server-event.ts';
import {
  type OpenRequests,
  type RunningCall,
  registerHandlers,
  type ServerHandlers,
  toCapabilities,
} from './server-handlers.ts';
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

/** The ways to a server: a child process, or HTTP of either kind. */
export type ServerTransport = StdioTransport | HttpTransport | SSEClientTransport;

/** The options for one opening of a connection. */
export interface ConnectionOptions {
  readonly sdk: Sdk;
  readonly alias: string;
  /** The version we name ourselves with. */
  readonly clientVersion: string;
  createTransport(era: Attempt): ServerTransport;
  /** The handshakes to try, in order. */
  readonly attempts: readonly Attempt[];
  /** True if a server that ended during a handshake is started once more for the next one: some end at a handshake that they do not know. */
  readonly restarts: boolean;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly handlers: ServerHandlers;
  onClosed(lastWords: string): void;
}

/** A way to open a connection: the old handshake, the question for the new one before it, or the old handshake over HTTP+SSE. */
export type Attempt = 'legacy' | 'auto' | 'sse';

const PROBE_MS = 5000;
const STATELESS_REVISION = '2026-07-28';
const MAX_PAGES = 64;
const MAX_ITEMS = 10_000;
/** The SDK's own clock never ends a call: `CallClock` does, and it knows when the user is at work. */
const NO_LIMIT_MS = 2 ** 31 - 1;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Takes an answer as it is. The SDK's own schemas refuse a whole listing for one bad tool and a whole result for one
 * block of a newer kind; what comes is looked at piece by piece anyway.
 */
const anyResult: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'aish', validate: (value) => ({ value }) },
};

/** A request of the user. */
export interface ServerRequest {
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** One open connection to one server. */
export class Connection {
  readonly version: string | null;
  readonly instructions: string | null;
  readonly era: Era;
  readonly #options: ConnectionOptions;
  readonly #client: Client;
  readonly #transport: ServerTransport;
  readonly #requests: OpenRequests;
  readonly #closed = new AbortController();

  private constructor(options: ConnectionOptions, client: Client, transport: ServerTransport, requests: OpenRequests) {
    this.#options = options;
    this.#client = client;
    this.#transport = transport;
    this.#requests = requests;
    this.version = client.getServerVersion()?.version ?? null;
    this.instructions = client.getInstructions() ?? null;
    this.era = client.getProtocolEra() === 'modern' ? 'modern' : isSse(transport) ? 'sse' : 'legacy';
    if (this.era === 'modern') void keepListening(client, options.sdk, this.#closed.signal);
    else if (client.getServerCapabilities()?.logging !== undefined)
      void client.request({ method: 'logging/setLevel', params: { level: 'info' } }, anyResult).catch(() => {});
  }

  /** Opens a connection, speaking whichever family of revisions the server understands. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { sdk, limits, signal } = options;
    // Some steps of a handshake, such as its notice, have no time limit of their own.
    const late = AbortSignal.timeout(limits.connectMs);
    try {
      return await Connection.#open({ ...options, signal: AbortSignal.any([signal, late]) });
    } catch (thrown) {
      if (!late.aborted || signal.aborted) throw thrown;
      const timeout = new sdk.SdkError(sdk.SdkErrorCode.RequestTimeout, '');
      throw thrown instanceof OpenFailure ? new OpenFailure(timeout, thrown.lastWords, thrown.hasExited) : timeout;
    }
  }

  static async #open(options: ConnectionOptions): Promise<Connection> {
    const [first = 'auto', ...others] = options.attempts;
    try {
      return await Connection.#attempt(options, first);
    } catch (thrown) {
      const hasExited = thrown instanceof OpenFailure && thrown.hasExited;
      const mayGoOn = hasExited ? options.restarts : isEraMismatch(options.sdk, thrown);
      if (others.length === 0 || options.signal.aborted || !mayGoOn) throw thrown;
      // The last way is the oldest one; where it fails too, the answer to the way before it says more.
      return await Connection.#open({ ...options, attempts: others }).catch((later: unknown) => {
        throw hasExited || (others.length === 1 && others[0] === 'sse' && isEraMismatch(options.sdk, later))
          ? thrown
          : later;
      });
    }
  }

  static async #attempt(options: ConnectionOptions, attempt: Attempt): Promise<Connection> {
    const { sdk, limits, signal, handlers } = options;
    signal.throwIfAborted();
    const requests: OpenRequests = { running: [], watched: new Set() };
    const mode = attempt === 'auto' ? 'auto' : 'legacy';
    const client = new sdk.Client(
      { name: 'aish', version: options.clientVersion },
      {
        capabilities: toCapabilities(handlers),
        versionNegotiation: { mode, probe: { timeoutMs: Math.min(PROBE_MS, limits.connectMs / 2) } },
      },
    );
    const transport = options.createTransport(attempt);
    registerHandlers(client, handlers, options.alias, requests);
    try {
      const connected = client.connect(transport, { timeout: limits.connectMs, signal });
      const isOld = attempt === 'legacy' && transport instanceof StdioTransport;
      await orAborted(isOld ? unlessStateless(connected, transport, options) : connected, signal);
    } catch (thrown) {
      // The words are complete when the process is gone; they are the best explanation there is.
      void transport.close();
      if (!(transport instanceof StdioTransport) || transport.lastWords === '') throw thrown;
      throw new OpenFailure(thrown, transport.lastWords, transport.hasExited);
    }
    client.onclose = () => options.onClosed(transport instanceof StdioTransport ? transport.lastWords : '');
    return new Connection(options, client, transport, requests);
  }

  get lastWords(): string {
    return this.#transport instanceof StdioTransport ? this.#transport.lastWords : '';
  }

  get hasSession(): boolean {
    return this.#transport instanceof HttpTransport && this.#transport.sessionId !== undefined;
  }

  /** True for a connection whose calls carry some arguments in headers too. */
  get mirrorsArguments(): boolean {
    return this.era === 'modern' && this.#transport instanceof HttpTransport;
  }

  /** True if the server says that it has such lists. */
  has(kind: ListKind): boolean {
    return this.#client.getServerCapabilities()?.[kind] !== undefined;
  }

  /** Every item of every page, as the server wrote them. A server without the capability gets no request. */
  async list(request: ListRequest, signal: AbortSignal): Promise<Listed> {
    const { method, key, kind } = request;
    const items: Json[] = [];
    if (!this.has(kind)) return { items, isCut: false };
    const options = { timeout: this.#options.limits.listMs, signal };
    let cursor: string | null = null;
    for (let page = 0; page < MAX_PAGES && items.length < MAX_ITEMS; page += 1) {
      const params: { cursor?: string } = cursor === null ? {} : { cursor };
      const result: unknown = await this.#client.request({ method, params }, anyResult, options);
      const found = isJsonObject(result) ? result[key] : undefined;
      if (!isJsonObject(result) || !Array.isArray(found)) throw notAList(method, key);
      items.push(...found);
      const next = result.nextCursor;
      // A server that gives the same cursor again would never come to an end.
      // An empty cursor is one like any other since the stateless revisions; older servers end a list with it.
      if (typeof next !== 'string' || (next === '' && this.era !== 'modern') || next === cursor)
        return { items: items.slice(0, MAX_ITEMS), isCut: items.length > MAX_ITEMS };
      cursor = next;
    }
    return { items: items.slice(0, MAX_ITEMS), isCut: true };
  }

  /** Calls a tool and gives the result as the server wrote it. */
  async callTool(
    name: string,
    args: JsonObject,
    schema: JsonObject,
    signal: AbortSignal,
    options: CallOptions,
  ): Promise<unknown> {
    const params = { name, arguments: { ...args } };
    return this.#run(signal, options, (request) => {
      if (this.era !== 'modern') return this.#client.request({ method: 'tools/call', params }, anyResult, request);
      // The stateless revisions mirror some arguments into headers, which the SDK does from the definition it is given.
      const toolDefinition = { name, inputSchema: { ...schema, type: 'object' as const } };
      return this.#client.callTool(params, { ...request, toolDefinition });
    });
  }

  /** Sends another request of the user, such as `resources/read`, and gives the result as the server wrote it. */
  async request(request: ServerRequest, signal: AbortSignal): Promise<unknown> {
    return this.#run(signal, {}, (limits) => this.#client.request(request, anyResult, limits));
  }

  /** Asks for notices of changes of a resource, if the server sends them. The first one counts. */
  watch(uri: string): void {
    if (this.#client.getServerCapabilities()?.resources?.subscribe !== true || this.#requests.watched.has(uri)) return;
    this.#requests.watched.add(uri);
    const asked: Promise<unknown> =
      this.era === 'modern'
        ? this.#client.listen({ resourceSubscriptions: [uri] }, { signal: this.#closed.signal })
        : this.#client.request({ method: 'resources/subscribe', params: { uri } }, anyResult);
    void asked.catch(() => {});
  }

  /** Runs a request under the limits of a call; forms that the server asks for meanwhile belong to it. */
  async #run(
    signal: AbortSignal,
    options: CallOptions,
    send: (request: CallRequest) => Promise<unknown>,
  ): Promise<unknown> {
    const { sdk, limits } = this.#options;
    const { timeoutMs = limits.callMs, totalTimeoutMs = limits.callTotalMs } = options;
    const clock = new CallClock({ silenceMs: timeoutMs, totalMs: totalTimeoutMs, signal });
    const call: RunningCall = { clock, options, asked: 0 };
    this.#requests.running.push(call);
    try {
      return await send({
        signal: clock.signal,
        timeout: NO_LIMIT_MS,
        // A listener makes the server send progress, and only then can progress reset the clock.
        onprogress: ({ progress, total, message }) => {
          clock.touch();
          options.onProgress?.({ progress, ...omitUndefined({ total, message }) });
        },
      });
    } catch (thrown) {
      if (clock.isOverTotal) throw tookTooLong(this.#options.alias);
      if (clock.isExpired) throw new sdk.SdkError(sdk.SdkErrorCode.RequestTimeout, '');
      throw thrown;
    } finally {
      clock.stop();
      this.#requests.running.splice(this.#requests.running.indexOf(call), 1);
    }
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
    this.#closed.abort();
    await this.#transport.close();
  }
}

/**
 * Waits for the old handshake, and asks a server that says nothing for the new one. Only after a while: some old servers end at that.
 */
async function unlessStateless(
  connected: Promise<void>,
  transport: StdioTransport,
  { sdk, clientVersion, limits }: ConnectionOptions,
): Promise<void> {
  if (await settlesWithin(connected, limits.connectMs / 6)) return connected;
  const discovered = transport.discover({
    _meta: {
      [sdk.PROTOCOL_VERSION_META_KEY]: STATELESS_REVISION,
      [sdk.CLIENT_INFO_META_KEY]: { name: 'aish', version: clientVersion },
      [sdk.CLIENT_CAPABILITIES_META_KEY]: {},
    },
  });
  const mismatch = new sdk.SdkError(sdk.SdkErrorCode.EraNegotiationFailed, '');
  await Promise.race([connected, discovered.then(() => Promise.reject(mismatch))]);
}

interface CallRequest {
  readonly signal: AbortSignal;
  readonly timeout: number;
  onprogress(progress: { progress: number; total?: number | undefined; message?: string | undefined }): void;
}

function isSse(transport: ServerTransport): boolean {
  return !(transport instanceof StdioTransport || transport instanceof HttpTransport);
}

function isEraMismatch(sdk: Sdk, thrown: unknown): boolean {
  const error = thrown instanceof OpenFailure ? thrown.thrown : thrown;
  if (sdk.ProtocolError.isInstance(error)) return true;
  if (sdk.SdkHttpError.isInstance(error)) return [400, 404, 405, 406, 500, 501].includes(error.status);
  if (error instanceof sdk.SseError) return true;
  const { EraNegotiationFailed, RequestTimeout } = sdk.SdkErrorCode;
  return sdk.SdkError.isInstance(error) && (error.code === EraNegotiationFailed || error.code === RequestTimeout);
}

/**
 * Keeps a subscription to changes of the lists open on a connection of the stateless revisions, which send no other notices. Ends with
 * the signal, or when the server does not know subscriptions.
 */
async function keepListening(client: Client, sdk: Sdk, signal: AbortSignal): Promise<void> {
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {};
  const filter = {
    ...(tools === undefined ? {} : { toolsListChanged: true }),
    ...(resources === undefined ? {} : { resourcesListChanged: true }),
    ...(prompts === undefined ? {} : { promptsListChanged: true }),
  };
  if (Object.keys(filter).length === 0) return;
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      const subscription = await client.listen(filter, { signal });
      pauseMs = FIRST_PAUSE_MS;
      if ((await subscription.closed) === 'local') return;
    } catch (thrown) {
      // An answer that refuses the request is the last word; anything else may pass.
      if (signal.aborted || sdk.ProtocolError.isInstance(thrown)) return;
      if (sdk.SdkHttpError.isInstance(thrown) && thrown.status < 500) return;
    }
    await pause(pauseMs, signal);
  }
}
