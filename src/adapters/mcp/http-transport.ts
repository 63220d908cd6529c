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
import { omitUndefined, parseJsonObject } from '../../protocol/json.ts';
import { pause, settlesWithin } from '../system/patience.ts';
import { Pace } from './call-limits.ts';
import { formatBrokenOff, NOT_ANSWERED, tooLarge } from './messages.ts';

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
interface HttpOptions {
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

const NEWLINE = 0x0a;
const END_OF_EVENT = new Uint8Array([NEWLINE, NEWLINE]);

/** A stream that ends this soon and says nothing is an announcement, not a channel. */
const CHANNEL_MS = 30_000;

/** The bounds of a fetch, and its receivers. */
interface GuardedFetchOptions {
  readonly maxMessageBytes: number;
  /** Credentials go to the configured address only, never after a redirect. */
  readonly followRedirects: boolean;
  /** The answer to request `id` is plain JSON, so it is complete once the transport has read it. */
  onPlainAnswer?(id: string | number): void;
  /** The server sent too much: the answer is cut off. */
  onTooLarge?(error: AishError): void;
  /** The channel from the server has ended. */
  onChannelEnd?(): void;
}

/** True for a request that opens a channel from the server, and not for one that resumes it. */
function isChannel(init: RequestInit | undefined): boolean {
  const headers = new Headers(init?.headers);
  const isStream = headers.get('accept')?.includes('text/event-stream') === true;
  return (init?.method ?? 'GET') === 'GET' && isStream && !headers.has('last-event-id');
}

/** The lines of a channel that aish reads in a second. The rest waits at the server: a thousand notices help nobody. */
const MOST_LINES = 2000;

/** Statuses of a request that the server did not take. */
const BUSY: ReadonlySet<number> = new Set([429, 503]);
const MOST_RETRIES = 3;
const LONGEST_RETRY_MS = 30_000;

/** A fetch for the SDK's HTTP transport that bounds what a server can send and keeps it from asking a server again that does not respond. */
export function createGuardedFetch(options: GuardedFetchOptions): FetchLike {
  let channelRefused = false;
  return async (url, init) => {
    const listening = isChannel(init);
    // The SDK reads 405 as "this server has no channel" and leaves it at that.
    if (listening && channelRefused) return new Response(null, { status: 405 });
    const openedAt = performance.now();
    const response = await fetchPatiently(url, options.followRedirects ? init : { ...init, redirect: 'manual' });
    const isStream = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
    if (!isStream && typeof init?.body === 'string' && response.ok) {
      const id = requestId(init.body);
      if (id !== null) options.onPlainAnswer?.(id);
    }
    if (response.body === null) return response;
    const bound = boundMessages(options, isStream);
    const pace = new Pace(MOST_LINES, MOST_LINES);
    const guard = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        bound(bytes, controller);
        return listening ? pace.wait(countLines(bytes), init?.signal ?? new AbortController().signal) : undefined;
      },
      flush: (controller) => {
        // The last event may lack the line that ends it.
        if (isStream) controller.enqueue(END_OF_EVENT);
        if (listening && performance.now() - openedAt < CHANNEL_MS) channelRefused = true;
      },
    });
    const { status, statusText, headers } = response;
    const piped = response.body.pipeTo(guard.writable).catch(() => {});
    if (listening) void piped.then(() => options.onChannelEnd?.());
    return new Response(guard.readable, { status, statusText, headers });
  };
}

/** The number of line breaks. */
function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

/** Sends a request again when the server says that it is busy and when to come back. Such a request has had no effect. */
async function fetchPatiently(url: string | URL, init: RequestInit | undefined): Promise<Response> {
  const signal = init?.signal ?? new AbortController().signal;
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, init);
    const waitMs = BUSY.has(response.status) ? readRetryAfter(response.headers.get('retry-after'), attempt) : null;
    if (waitMs === null || (response.status === 503 && !response.headers.has('retry-after'))) return response;
    if (attempt > MOST_RETRIES || waitMs > LONGEST_RETRY_MS) return response;
    await response.body?.cancel();
    await pause(waitMs, signal);
    signal.throwIfAborted();
  }
}

/** The time in milliseconds that a server asks to wait: seconds or a date; without either, one that doubles. */
function readRetryAfter(header: string | null, attempt: number): number {
  const seconds = Number(header ?? Number.NaN);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(header ?? '');
  return Number.isNaN(at) ? 500 * 2 ** attempt : Math.max(0, at - Date.now());
}

type Transform = (bytes: Uint8Array, controller: { enqueue(bytes: Uint8Array): void }) => void;

/** Counts bytes since the last line break of an event stream, or of the whole body otherwise. */
function boundMessages({ maxMessageBytes, onTooLarge }: GuardedFetchOptions, isStream: boolean): Transform {
  let size = 0;
  return (bytes, controller) => {
    const lastBreak = isStream ? bytes.lastIndexOf(NEWLINE) : -1;
    size = lastBreak === -1 ? size + bytes.length : Math.max(bytes.length - lastBreak - 1, 0);
    if (size > maxMessageBytes) {
      const error = tooLarge(maxMessageBytes);
      onTooLarge?.(error);
      throw error;
    }
    controller.enqueue(bytes);
    if (isStream && endsWithData(bytes)) controller.enqueue(END_OF_EVENT);
  };
}

/** True if bytes end with a whole message without the blank line that ends its event. Some servers leave it out and keep the stream open. */
function endsWithData(bytes: Uint8Array): boolean {
  if (bytes.at(-1) !== NEWLINE || bytes.at(-2) === NEWLINE) return false;
  const start = bytes.lastIndexOf(NEWLINE, bytes.length - 2) + 1;
  const [, json = ''] = /^data:(.*)$/s.exec(Buffer.from(bytes.subarray(start)).toString('utf8')) ?? [];
  return parseJsonObject(json) !== null;
}

function requestId(body: string): string | number | null {
  const message: unknown = JSON.parse(body);
  if (typeof message !== 'object' || message === null || !('method' in message) || !('id' in message)) return null;
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null;
}
