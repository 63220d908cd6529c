/* The bytes from the shell's terminal, taken apart: aish's marks, the text of a line editor, echoes, and the output to show. */

import { TextSanitizer } from '../../core/text/sanitize.ts';
import type { EditorNoise } from './integration/integration.ts';

/**
 * The shell tells us where it stands by marks between its output: `ESC ] 7711 ; <nonce> ; <kind> ; <fields> BEL`. The nonce comes first
 * and is known to our rc file only, so output that merely looks like a mark stays output. Nothing but the whole prefix is ever held back,
 * so a program that prints half an escape sequence swallows nothing of what follows.
 */
type Piece =
  | { readonly type: 'output'; readonly bytes: Uint8Array }
  | { readonly type: 'mark'; readonly kind: string; readonly fields: readonly string[] };

const BELL = 7;
/** A directory's path and a few numbers fit many times; a longer text is no mark of aish. */
const LONGEST_MARK = 16 * 1024;

/** Takes a stream of bytes, cut anywhere, apart into output and marks. */
export class MarkScanner {
  readonly #prefix: Buffer;
  #held: Buffer = Buffer.alloc(0);

  /** Takes what marks begin with. */
  constructor(prefix: string) {
    this.#prefix = Buffer.from(prefix);
  }

  /** For the marks of a shell that has this secret. */
  static ofShell(nonce: string): MarkScanner {
    return new MarkScanner(`\x1b]7711;${nonce};`);
  }

  *feed(chunk: Uint8Array): Generator<Piece> {
    let rest = this.#held.length === 0 ? view(chunk) : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    while (rest.length > 0) {
      const start = rest.indexOf(this.#prefix);
      if (start < 0) return yield* this.#holdTail(rest);
      if (start > 0) yield { type: 'output', bytes: rest.subarray(0, start) };
      const end = rest.indexOf(BELL, start + this.#prefix.length);
      if (end < 0 && rest.length - start < LONGEST_MARK) {
        this.#held = Buffer.from(rest.subarray(start));
        return;
      }
      if (end < 0) return yield { type: 'output', bytes: rest.subarray(start) };
      yield toMark(rest.subarray(start + this.#prefix.length, end));
      rest = rest.subarray(end + 1);
    }
  }

  /** The text held for a mark that never became whole. */
  flush(): Uint8Array {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    return held;
  }

  /** Gives out what cannot be the beginning of a mark and keeps the rest. */
  *#holdTail(bytes: Buffer): Generator<Piece> {
    const kept = this.#partialPrefix(bytes);
    const free = bytes.length - kept;
    if (free > 0) yield { type: 'output', bytes: bytes.subarray(0, free) };
    this.#held = Buffer.from(bytes.subarray(free));
  }

  #partialPrefix(bytes: Buffer): number {
    const longest = Math.min(bytes.length, this.#prefix.length - 1);
    const from = bytes.length - longest;
    for (let at = bytes.indexOf(0x1b, from); at >= 0; at = bytes.indexOf(0x1b, at + 1))
      if (this.#prefix.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return bytes.length - at;
    return 0;
  }
}

function view(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The last field is a path and may itself hold the separator. */
function toMark(body: Buffer): Piece {
  const [kind = '', first, ...path] = body.toString('utf8').split(';');
  const fields = [first, path.length === 0 ? undefined : path.join(';')];
  return { type: 'mark', kind, fields: fields.filter((field) => field !== undefined) };
}

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

/**
 * Removes the line editor's text from the output of a shell that has one. Between two lines the text is hidden; around a command the editor
 * writes a few sequences, which are held until they are whole.
 */
export class EditorOutput {
  readonly #noise: EditorNoise;
  /** Marks of the prompt that newer shells write by themselves: aish writes its own. */
  readonly #marks = new MarkScanner('\x1b]133;');
  #phase: 'starting' | 'drawing' | 'leading' | 'running' | 'trailing' = 'starting';
  #held: Buffer = Buffer.alloc(0);

  constructor(noise: EditorNoise) {
    this.#noise = noise;
  }

  /** The editor has the terminal. */
  draw(): void {
    this.#phase = 'drawing';
  }

  /** A command begins. */
  lead(): void {
    this.#phase = 'leading';
  }

  /** A command has ended. */
  trail(): void {
    this.#phase = 'trailing';
  }

  /** The part of it to show now. */
  take(bytes: Uint8Array): Uint8Array {
    if (this.#phase === 'drawing') return new Uint8Array(0);
    const pieces = [...this.#marks.feed(bytes)].map((piece) =>
      piece.type === 'output' ? piece.bytes : new Uint8Array(0),
    );
    const rest = Buffer.concat(pieces);
    if (this.#phase === 'running') return rest;
    if (this.#phase === 'starting') return this.#withoutTrail(rest);
    this.#held = Buffer.concat([this.#held, rest]);
    return this.#phase === 'leading' ? this.#takeLead() : new Uint8Array(0);
  }

  /** The held bytes, without the text of the editor. */
  flush(): Uint8Array {
    const held = Buffer.concat([this.#held, this.#marks.flush()]);
    this.#held = Buffer.alloc(0);
    if (this.#phase === 'leading') this.#phase = 'running';
    return this.#phase === 'trailing' ? this.#withoutTrail(held) : held;
  }

  #withoutTrail(bytes: Buffer): Buffer {
    return Buffer.from(toLatin(bytes).replace(this.#noise.trail, ''), 'latin1');
  }

  #takeLead(): Uint8Array {
    const text = toLatin(this.#held);
    const lead = this.#noise.lead.exec(text);
    if (lead === null && LEADING.test(text)) return new Uint8Array(0);
    this.#held = Buffer.alloc(0);
    this.#phase = 'running';
    return Buffer.from(text.slice(lead?.[0].length ?? 0), 'latin1');
  }
}

/** The possible beginnings of the editor's text before a command. */
const LEADING = /^(?:\x1b\[[?0-9;]*[a-z]|\x1b\(B|\x0f|\x1b\][^\x07]*\x07)*(?:\x1b(?:[[(][?0-9;]*|\][^\x07]*)?)?$/i;

function toLatin(bytes: Buffer): string {
  return bytes.toString('latin1');
}

/** So much of a line is enough to know it by. */
const KNOWN_BY = 16;

/** The bytes before the echo of one of aish's lines; nothing if the echo is not there. */
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

/** The time that an echo may still need after its keys were taken back. */
const LATE_MS = 50;

/**
 * Tells output from the terminal's echo of keys typed in the moment a command ended. Bytes that come while keys are on their way are held
 * until the keys are known.
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

  /** The keys are known: the held bytes are shown unless they are their echo. */
  settle(typed: Uint8Array): void {
    const kept = Buffer.concat(this.#kept.splice(0));
    this.#typed = typed;
    this.#until = performance.now() + LATE_MS;
    this.take(kept);
  }

  /** Shows later bytes, unless they are a late echo of the keys. */
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

  /** Passes the held bytes on. */
  drop(): Uint8Array {
    const kept = this.#kept;
    this.#kept = new Uint8Array(0);
    return kept;
  }
}

/**
 * The output on the terminal of a command that the model proposed: its text and colours. The user agreed to the command, not to its output.
 * Only a program that reads keys may draw on a screen of its own: a printed file would hide there.
 */
export class ProposedOutput {
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();
  readonly #sanitizer: TextSanitizer;

  constructor(mayDraw: () => boolean) {
    this.#sanitizer = new TextSanitizer({ keepColours: true, mayDraw, lineEnd: '\r\n' });
  }

  /** Takes bytes; returns the part of them to show. */
  push(bytes: Uint8Array): Uint8Array {
    return this.#encoder.encode(this.#sanitizer.push(this.#decoder.decode(bytes, { stream: true })));
  }

  /** The command is over: returns the held bytes, and the end of colours and drawings. */
  end(): Uint8Array {
    const rest = this.#sanitizer.push(this.#decoder.decode());
    return this.#encoder.encode(rest + this.#sanitizer.end());
  }
}
