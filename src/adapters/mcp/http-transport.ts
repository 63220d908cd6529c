import type {
  FetchLike,
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';
import { omitUndefined } from '../../protocol/json.ts';
import { settlesWithin } from '../system/patience.ts';
import { formatBrokenOff, NOT_ANSWERED, tooLarge } from './messages.ts';

/** The MCP client package: its type costs nothing, and who connects first loads it. */
export type Sdk = typeof import('@modelcontextprotocol/client');

/** Marks an error we put in place of an answer that never came; compared by identity, so no server can forge it. */
export class AnswerLost {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

interface HttpOptions {
  readonly url: URL;
  readonly token: string | null;
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

  constructor(sdk: Sdk, options: HttpOptions) {
    const { token, headers, url } = options;
    const hasCredentials = token !== null || Object.keys(headers).length > 0;
    this.#inner = new sdk.StreamableHTTPClientTransport(url, {
      requestInit: { headers: { ...headers }, ...(hasCredentials ? { redirect: 'manual' as const } : {}) },
      ...(token === null ? {} : { authProvider: { token: async () => token } }),
      fetch: createGuardedFetch({
        maxMessageBytes: options.maxMessageBytes,
        followRedirects: !hasCredentials,
        onPlainAnswer: (id) => this.#plain.add(id),
      }),
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
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32000, message: why, data: new AnswerLost(why) } });
  }
}

function toSendOptions(options: TransportSendOptions): Parameters<StreamableHTTPClientTransport['send']>[1] {
  const { resumptionToken, onresumptiontoken, requestSignal, headers } = options;
  return {
    ...omitUndefined({ resumptionToken, onresumptiontoken, requestSignal, headers }),
  };
}

/** Waits without keeping the program alive: a channel that is being reopened is no reason to stay. */
function scheduleQuietly(reconnect: () => void, delayMs: number): () => void {
  const timer = setTimeout(reconnect, delayMs);
  timer.unref();
  return () => clearTimeout(timer);
}

const NEWLINE = 0x0a;

/** A stream that ends this soon and says nothing is an announcement, not a channel. */
const CHANNEL_MS = 30_000;

interface GuardedFetchOptions {
  readonly maxMessageBytes: number;
  /** Credentials go to the configured address only, never after a redirect. */
  readonly followRedirects: boolean;
  /** The answer to request `id` is plain JSON, so it is complete once the transport has read it. */
  onPlainAnswer(id: string | number): void;
}

/** A fetch for the SDK's HTTP transport that bounds what a server can send and keeps it from asking a server again that does not respond. */
export function createGuardedFetch(options: GuardedFetchOptions): FetchLike {
  let channelRefused = false;
  return async (url, init) => {
    const listening = init?.method === 'GET' && !new Headers(init.headers).has('last-event-id');
    // The SDK reads 405 as "this server has no channel" and leaves it at that.
    if (listening && channelRefused) return new Response(null, { status: 405 });
    const openedAt = performance.now();
    const response = await fetch(url, options.followRedirects ? init : { ...init, redirect: 'manual' });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (!isStream && typeof init?.body === 'string' && response.ok) {
      const id = requestId(init.body);
      if (id !== null) options.onPlainAnswer(id);
    }
    if (response.body === null) return response;
    const guard = new TransformStream<Uint8Array, Uint8Array>({
      transform: boundMessages(options.maxMessageBytes, isStream),
      flush: () => {
        if (listening && performance.now() - openedAt < CHANNEL_MS) channelRefused = true;
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(guard), { status, statusText, headers });
  };
}

type Transform = (bytes: Uint8Array, controller: { enqueue(bytes: Uint8Array): void }) => void;

/** Counts bytes since the last line break of an event stream, or of the whole body otherwise. */
function boundMessages(limit: number, isStream: boolean): Transform {
  let size = 0;
  return (bytes, controller) => {
    const lastBreak = isStream ? bytes.lastIndexOf(NEWLINE) : -1;
    size = lastBreak === -1 ? size + bytes.length : Math.max(bytes.length - lastBreak - 1, 0);
    if (size > limit) throw tooLarge(limit);
    controller.enqueue(bytes);
  };
}

function requestId(body: string): string | number | null {
  const message: unknown = JSON.parse(body);
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message)) return null;
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null;
}
