import { TextSanitizer } from '../../core/text/sanitize.ts';

/** Takes the echo of one of our lines out of what the terminal shows. */
export function withoutLine(bytes: Uint8Array, line: string): Uint8Array {
  const text = Buffer.from(bytes);
  const echo = toEchoOfLine(line);
  const start = text.indexOf(echo.trimEnd());
  return start < 0 ? bytes : Buffer.concat([text.subarray(0, start), text.subarray(start + echo.length)]);
}

function toEchoOfLine(line: string): string {
  return line.replaceAll('\n', '\r\n');
}

/** So much of a line is enough to know it by. */
const KNOWN_BY = 16;

/** What came before the echo of one of our lines; nothing where it is not there. */
export function beforeLine(bytes: Uint8Array, line: string): Uint8Array {
  const start = Buffer.from(bytes).indexOf(toEchoOfLine(line).slice(0, KNOWN_BY));
  return bytes.subarray(0, Math.max(0, start));
}

/** Whether an output is nothing but what the terminal showed of keys while they were typed. */
function isEcho(output: Uint8Array, typed: Uint8Array): boolean {
  return Buffer.from(toEcho(typed), 'latin1').includes(output);
}

function toEcho(typed: Uint8Array): string {
  return Array.from(typed, (byte) => {
    if (byte === 0x0d) return '\r\n';
    // The key that ends a text leaves no trace; it would be wiped out again.
    if (byte === 0x04) return '';
    return byte < 0x20 && byte !== 0x09 ? `^${String.fromCharCode(byte + 0x40)}` : String.fromCharCode(byte);
  }).join('');
}

/** So long after its keys were taken back an echo may still be on its way to us. */
const LATE_MS = 50;

/**
 * Tells output from the terminal's echo of keys typed in the moment a command ended. What comes while keys are on their way is kept until
 * they are known.
 */
export class KeyEcho {
  readonly #show: (bytes: Uint8Array) => void;
  #kept: Uint8Array[] = [];
  #typed: Uint8Array = new Uint8Array(0);
  #until = 0;

  constructor(show: (bytes: Uint8Array) => void) {
    this.#show = show;
  }

  keep(bytes: Uint8Array): void {
    this.#kept.push(bytes.slice());
  }

  /** The keys are known: what was kept is shown unless it is their echo. */
  settle(typed: Uint8Array): void {
    const kept = Buffer.concat(this.#kept.splice(0));
    this.#typed = typed;
    this.#until = performance.now() + LATE_MS;
    this.take(kept);
  }

  /** Shows what comes later, unless it is their echo that comes late. */
  take(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const isLateEcho = this.#typed.length > 0 && performance.now() < this.#until && isEcho(bytes, this.#typed);
    if (!isLateEcho) this.#show(bytes);
  }
}

const LINE_END = 0x0a;

/** Keeps the last line of an output back until it is ended. */
export class UnendedLine {
  #kept: Uint8Array = new Uint8Array(0);

  /** The lines that are ended by now. */
  take(bytes: Uint8Array): Uint8Array {
    const all = Buffer.concat([this.#kept, bytes]);
    const end = all.lastIndexOf(LINE_END) + 1;
    this.#kept = all.subarray(end);
    return all.subarray(0, end);
  }

  /** Lets go of what is kept, and passes it on. */
  drop(): Uint8Array {
    const kept = this.#kept;
    this.#kept = new Uint8Array(0);
    return kept;
  }
}

/**
 * What a command that the model proposed shows on the terminal: its text and colours. The user agreed to the command, not to what it
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
