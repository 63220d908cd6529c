import type { JSONRPCMessage, SSEClientTransport, Transport } from '@modelcontextprotocol/client';
import { createGuardedFetch } from './guarded-fetch.ts';
import type { HttpOptions, Sdk } from './http-transport.ts';

/** HTTP+SSE of revision 2024-11-05: one channel for all answers. Its end is the end of the connection, since they would go to nobody. */
export class SseTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #inner: SSEClientTransport;

  constructor(sdk: Sdk, { url, auth, headers, maxMessageBytes }: HttpOptions) {
    const hasCredentials = auth !== null || Object.keys(headers).length > 0;
    this.#inner = new sdk.SSEClientTransport(url, {
      requestInit: { headers: { ...headers }, ...(hasCredentials ? { redirect: 'manual' as const } : {}) },
      ...(auth === null ? {} : { authProvider: auth }),
      fetch: createGuardedFetch({
        maxMessageBytes,
        followRedirects: !hasCredentials,
        onChannelEnd: () => void this.close(),
      }),
    });
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message) => this.onmessage?.(message);
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#inner.send(message);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
