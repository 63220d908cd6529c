import { TextSanitizer } from '../../core/sanitize.ts';

/**
 * What a command that the model proposed shows on the terminal: its text and colours. The person agreed to the command, not to what it
 * prints. Only a program that reads keys may draw on a screen of its own: a file that was printed would hide there.
 */
export class ProposedOutput {
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #sanitizer: TextSanitizer;

  constructor(mayDraw: () => boolean) {
    this.#sanitizer = new TextSanitizer({ keepColours: true, mayDraw, lineEnd: '\r\n' });
  }

  /** Takes what came; returns what is shown of it. */
  push(bytes: Uint8Array): Uint8Array {
    return this.#encoder.encode(this.#sanitizer.push(this.#decoder.decode(bytes, { stream: true })));
  }

  /** The command is over: what was held back, and the end of colours and drawings. */
  end(): Uint8Array {
    const rest = this.#sanitizer.push(this.#decoder.decode());
    return this.#encoder.encode(rest + this.#sanitizer.end());
  }
}
