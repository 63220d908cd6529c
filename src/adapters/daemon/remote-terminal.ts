import type { TerminalListener, TerminalStream } from '../../core/session/session-client.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { TerminalSize } from '../../protocol/query.ts';
import type { DaemonAddress } from './daemon-request.ts';

/** The terminal of a session that another process owns, over a WebSocket. The messages are described where they are answered. */
export class RemoteTerminal implements TerminalStream {
  readonly #socket: WebSocket;
  readonly #listener: TerminalListener;
  readonly #opened = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(address: DaemonAddress, path: string, listener: TerminalListener & { readonly name: string | null }) {
    this.#listener = listener;
    const client = listener.name === null ? {} : { 'x-aish-client': listener.name };
    const token = address.type === 'url' ? { authorization: `Bearer ${address.token}` } : {};
    const url = address.type === 'socket' ? `ws+unix://${address.path}:${path}` : `${toWebSocket(address.url)}${path}`;
    this.#socket = new WebSocket(url, { headers: { ...client, ...token } });
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('message', ({ data }) => this.#take(data));
    this.#socket.addEventListener('close', () => this.#end());
    this.#socket.addEventListener('error', () => this.#end());
  }

  opened(): Promise<void> {
    return this.#opened.promise;
  }

  write(bytes: Uint8Array): void {
    if (this.#isOpen) this.#socket.send(bytes);
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#tell({ type: 'size', columns, rows });
  }

  ask(): void {
    this.#tell({ type: 'ask' });
  }

  giveBack(): void {
    this.#tell({ type: 'give-back' });
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.close();
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  #tell(word: object): void {
    if (this.#isOpen) this.#socket.send(JSON.stringify(word));
  }

  #take(data: unknown): void {
    // What was on its way is for nobody any more.
    if (this.#isClosed) return;
    if (data instanceof ArrayBuffer) this.#listener.output(new Uint8Array(data));
    else if (typeof data === 'string') this.#takeWord(JSON.parse(data));
  }

  #takeWord(word: unknown): void {
    if (!isJsonObject(word)) return;
    if (word.type === 'refused') this.#listener.refused();
    if (typeof word.seq === 'number') this.#takePlace(word.seq, word);
    if (word.type === 'notice' && typeof word.text === 'string') this.#listener.notice?.(word.text);
    if (word.type !== 'keyboard' || typeof word.you !== 'string') return;
    this.#listener.named?.(word.you);
    this.#opened.resolve();
    const holder = typeof word.holder === 'string' ? word.holder : null;
    this.#listener.keyboard(holder, holder !== null && holder === word.you);
  }

  #takePlace(seq: number, { type, running }: JsonObject): void {
    if (type === 'began') this.#listener.began?.(seq);
    else if (type === 'ended') this.#listener.ended?.(seq);
    else if (type === 'joined') this.#listener.joined?.({ seq, running: typeof running === 'number' ? running : null });
  }

  #end(): void {
    this.#opened.resolve();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#listener.closed();
  }
}

function toWebSocket(url: string): string {
  return url.replace(/^http/, 'ws').replace(/\/$/, '');
}
