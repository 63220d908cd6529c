type Item =
  | { readonly type: 'output'; readonly bytes: Uint8Array }
  | { readonly type: 'began' | 'ended'; readonly seq: number };

/**
 * Holds the output of commands of a session elsewhere until their turn on this screen. Facts and bytes come on two connections, each in its
 * order. So the output of a command waits for the fact that it began, and later facts wait for the end of its output.
 */
export class ShownCommands {
  #items: Item[] = [];
  #wake = Promise.withResolvers<void>();
  #isClosed = false;

  /** Takes what came. The bytes are kept, not copied. */
  push(item: Item): void {
    this.#items.push(item);
    this.#news();
  }

  /** Nothing more comes. */
  close(): void {
    this.#isClosed = true;
    this.#news();
  }

  /** Writes all that the command shows whose fact has this number, as it comes. `isOn` where it had begun before this client came. */
  async show(seq: number, write: (bytes: Uint8Array) => void, { isOn }: { readonly isOn: boolean }): Promise<void> {
    let shows = isOn;
    for (;;) {
      const item = this.#items.shift();
      if (item === undefined) {
        if (this.#isClosed) return;
        await this.#wake.promise;
      } else if (item.type === 'output') {
        if (shows) write(item.bytes);
      } else if (item.type === 'began') shows = item.seq === seq;
      else if (item.seq === seq) return;
    }
  }

  #news(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
