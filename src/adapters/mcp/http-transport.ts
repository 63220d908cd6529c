import type {
  AuthProvider,
  FetchLike,
  JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { settlesWithin } from '../system/patience.ts';
import { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts';
import { formatBrokenOff, NOT_ANSWERED } from './messages.ts';

/** The MCP client package: its type costs nothing, and who connects first loads it. */
export type Sdk = typeof import('@modelcontextprotocol/client');

/** Marks an error we put in place of an answer that never came; compared by identity, so no server can forge it. */
export class AnswerLost {
  readonly why: string;
  /** The error of aish that ended the answer; null if the server or the network did. */
  readonly error: AishError | null;

  constructor(why: string, error: AishError | null) {
    this.why = why;
    this.error = error;
  }
}

/** The address of a server over HTTP, and what goes with each request. */
export interface HttpOptions {
  readonly url: URL;
  /** Gives the bearer token of each request; null without one. */
  readonly auth: AuthProvider | null;
  /** Adds proofs to requests. */
  readonly wrapFetch?: (plain: FetchLike) => FetchLike;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
}

type RequestKey = string | number;

/** Streamable HTTP by the SDK, with what it leaves out: an answer that cannot come any more fails at once, and sizes are bounded. */
export class HttpTransport implements Transport {
  readonly hasPerRequestStream = true;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #inner: StreamableHTTPClientTransport;
  readonly #waiting = new Set<RequestKey>();
  readonly #plain = new Set<RequestKey>();
  #lastError: Error | null = null;
  #tooLarge: AishError | null = null;

  constructor(sdk: Sdk, options: HttpOptions) {
    const { wrapFetch = (plain) => plain } = options;
    const { fetch, ...init } = toSdkOptions(options, {
      onPlainAnswer: (id) => this.#plain.add(id),
      onTooLarge: (error) => {
        this.#tooLarge = error;
      },
    });
    this.#inner = new sdk.StreamableHTTPClientTransport(options.url, {
      ...init,
      fetch: wrapFetch(fetch),
      reconnectionScheduler: scheduleQuietly,
    });
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => {
      this.#lastError = error;
      this.onerror?.(error);
    };
    this.#inner.onmessage = (message) => this.#receive(message);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    const id = 'method' in message && 'id' in message ? message.id : null;
    if (id === null) return this.#inner.send(message, toSendOptions(options));
    this.#waiting.add(id);
    // An error of an earlier request says nothing about this one.
    this.#lastError = null;
    const ended = (): void => {
      options.onRequestStreamEnd?.();
      this.#lose(id, formatBrokenOff(this.#lastError?.message));
    };
    try {
      await this.#inner.send(message, { ...toSendOptions(options), onRequestStreamEnd: ended });
    } catch (thrown) {
      this.#waiting.delete(id);
      this.#plain.delete(id);
      throw thrown;
    }
    if (this.#plain.delete(id)) this.#lose(id, NOT_ANSWERED);
  }

  /** Ends the connection; a server with sessions gets a notice, but aish does not wait for it. */
  async close(): Promise<void> {
    if (this.#inner.sessionId !== undefined) await settlesWithin(this.#inner.terminateSession(), 500);
    await this.#inner.close();
  }

  #receive(message: JSONRPCMessage): void {
    if (!('method' in message) && 'id' in message && message.id !== undefined) this.#waiting.delete(message.id);
    this.onmessage?.(message);
  }

  #lose(id: RequestKey, why: string): void {
    if (!this.#waiting.delete(id)) return;
    const data = new AnswerLost(why, this.#tooLarge);
    this.#tooLarge = null;
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32000, message: why, data } });
  }
}

/** HTTP+SSE of revision 2024-11-05: one channel for all answers. Its end is the end of the connection, since they would go to nobody. */
export function createSseTransport(sdk: Sdk, options: HttpOptions): SSEClientTransport {
  const transport: SSEClientTransport = new sdk.SSEClientTransport(
    options.url,
    toSdkOptions(options, { onChannelEnd: () => void transport.close() }),
  );
  return transport;
}

/** The options for both transports of the SDK. Credentials go to the configured address only. */
function toSdkOptions(
  { auth, headers, maxMessageBytes }: HttpOptions,
  told: Omit<GuardedFetchOptions, 'maxMessageBytes' | 'followRedirects'>,
) {
  const hasCredentials = auth !== null || Object.keys(headers).length > 0;
  return {
    requestInit: { headers: { ...headers }, ...(hasCredentials ? { redirect: 'manual' as const } : {}) },
    ...(auth === null ? {} : { authProvider: auth }),
    fetch: createGuardedFetch({ maxMessageBytes, followRedirects: !hasCredentials, ...told }),
  };
}

function toSendOptions(options: TransportSendOptions): Parameters<StreamableHTTPClientTransport['send']>[1] {
  const { resumptionToken, onresumptiontoken, requestSignal, headers } = options;
  return { ...omitUndefined({ resumptionToken, onresumptiontoken, requestSignal, headers }) };
}

/** The bounds of the pause that a server may ask for before aish opens its stream again. */
const SHORTEST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 60_000;

/** Waits without keeping the program alive: a channel that is being reopened is no reason to stay. */
function scheduleQuietly(reconnect: () => void, delayMs: number): () => void {
  const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS));
  timer.unref();
  return () => clearTimeout(timer);
}
