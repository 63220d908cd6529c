import type { FetchLike } from '@modelcontextprotocol/client';
import type { AishError } from '../../protocol/error.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import { pause } from '../system/patience.ts';
import { tooLarge } from './messages.ts';
import { Pace } from './pace.ts';

const NEWLINE = 0x0a;
const END_OF_EVENT = new Uint8Array([NEWLINE, NEWLINE]);

/** A stream that ends this soon and says nothing is an announcement, not a channel. */
const CHANNEL_MS = 30_000;

/** The bounds of a fetch, and its receivers. */
export interface GuardedFetchOptions {
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
