import type {
  AuthProvider,
  FetchLike,
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import { settlesWithin } from '../system/patience.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
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
    const { auth, headers, url, wrapFetch = (plain) => plain } = options;
    const hasCredentials = auth !== null || Object.keys(headers).length > 0;
    this.#inner = new sdk.StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers }, ...(hasCredentials ? { redirect: 'manual' as const } : {}) },
      ...(auth === null ? {} : { authProvider: auth }),
      fetch: wrapFetch(
        createGuardedFetch({
          maxMessageBytes: options.maxMessageBytes,
          followRedirects: !hasCredentials,
          onPlainAnswer: (id) => this.#plain.add(id),
          onTooLarge: (error) => {
            this.#tooLarge = error;
          },
        }),
      ),
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
