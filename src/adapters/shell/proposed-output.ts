import { TextSanitizer } from '../../core/sanitize.ts';

/**
 * What a command that the model proposed shows on the terminal: its text and colours, and what it draws on a screen of its own. The
 * person agreed to the command, not to what it prints.
 */
export class ProposedOutput {
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #sanitizer = new TextSanitizer({ keepColours: true, keepDrawings: true, lineEnd: '\r\n' });

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
