import type { FetchLike } from '@modelcontextprotocol/client';
import { tooLarge } from './line-frames.ts';

const NEWLINE = 0x0a;

/** A stream that ends this soon and says nothing is an announcement, not a channel. */
const CHANNEL_MS = 30_000;

/** What the transport learns from the bodies that pass. */
export interface GuardedFetchOptions {
  readonly maxMessageBytes: number;
  /** Credentials go to the configured address only, never after a redirect. */
  readonly followRedirects: boolean;
  /** The answer to request `id` is plain JSON, so it is complete once the transport has read it. */
  onPlainAnswer(id: string | number): void;
}

/** A fetch for the SDK's HTTP transport that bounds what a server can send and stops it from asking a deaf server again and again. */
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
