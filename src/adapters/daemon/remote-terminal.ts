import type { TerminalSize } from '../../protocol/client.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { DaemonAddress } from './daemon-request.ts';

/** Who is told what happens at a terminal elsewhere. */
export interface RemoteTerminalListener {
  /** Told first: the number of the last fact, and of that with which the command began that runs. */
  joined?(at: { readonly seq: number; readonly running: number | null }): void;
  /** What comes from here on is of the command whose fact has this number. */
  began?(seq: number): void;
  /** That was all of it. */
  ended?(seq: number): void;
  /** What commands show, secrets taken out. */
  output(bytes: Uint8Array): void;
  /** Whose keys reach the program now; null for the owner. */
  keyboard(holder: string | null, isOurs: boolean): void;
  /** The owner did not lend the keyboard. */
  refused(): void;
  /** Who came, who left, and the like. */
  told?(text: string): void;
  /** What this seat is called from now on. */
  named?(name: string): void;
  /** The connection is gone, by whoever's doing. */
  closed(): void;
}

/** The terminal of a session that another process owns, over a WebSocket. The messages are described where they are answered. */
export class RemoteTerminal {
  readonly #socket: WebSocket;
  readonly #listener: RemoteTerminalListener;
  readonly #opened = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(
    address: DaemonAddress,
    path: string,
    listener: RemoteTerminalListener & { readonly seat: string | null },
  ) {
    this.#listener = listener;
    const seat = listener.seat === null ? {} : { 'x-aish-seat': listener.seat };
    const token = address.type === 'url' ? { authorization: `Bearer ${address.token}` } : {};
    const url = address.type === 'socket' ? `ws+unix://${address.path}:${path}` : `${toWebSocket(address.url)}${path}`;
    this.#socket = new WebSocket(url, { headers: { ...seat, ...token } });
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.addEventListener('message', ({ data }) => this.#take(data));
    this.#socket.addEventListener('close', () => this.#end());
    this.#socket.addEventListener('error', () => this.#end());
  }

  /** Settles when the session has let this seat in, or will not. */
  opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** Keys for the program in the foreground; dropped by the owner where this seat does not have the keyboard. */
  write(bytes: Uint8Array): void {
    if (this.#isOpen) this.#socket.send(bytes);
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#tell({ type: 'size', columns, rows });
  }

  /** Asks the owner for the keyboard. */
  ask(): void {
    this.#tell({ type: 'ask' });
  }

  /** Gives the keyboard back, or asks for it no more. */
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
    if (data instanceof ArrayBuffer) this.#listener.output(new Uint8Array(data));
    else if (typeof data === 'string') this.#takeWord(JSON.parse(data));
  }

  #takeWord(word: unknown): void {
    if (!isJsonObject(word)) return;
    if (word.type === 'refused') this.#listener.refused();
    if (typeof word.seq === 'number') this.#takePlace(word.seq, word);
    if (word.type === 'told' && typeof word.text === 'string') this.#listener.told?.(word.text);
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
