import { tooLarge } from './messages.ts';

const NEWLINE = 0x0a;

/** Cuts a byte stream into lines. Each byte is looked at once and joined once, so the cost grows with the size and not its square. */
export class LineFrames {
  readonly #limit: number;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(limitBytes: number) {
    this.#limit = limitBytes;
  }

  /** The lines that `bytes` completes. Throws when one line grows past the limit. */
  push(bytes: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#hold(bytes.subarray(start, end));
      lines.push(this.#takeLine());
      start = end + 1;
    }
    if (start < bytes.length) this.#hold(bytes.subarray(start));
    return lines;
  }

  #hold(part: Uint8Array): void {
    this.#pendingBytes += part.length;
    if (this.#pendingBytes > this.#limit) throw tooLarge(this.#limit);
    this.#pending.push(part);
  }

  #takeLine(): string {
    const line = Buffer.concat(this.#pending, this.#pendingBytes).toString('utf8');
    this.#pending = [];
    this.#pendingBytes = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}
