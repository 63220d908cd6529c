/**
 * The shell tells us where it stands by marks between its output: `ESC ] 7711 ; <nonce> ; <kind> ; <fields> BEL`. The nonce comes first
 * and is known to our rc file only, so output that merely looks like a mark stays output. Nothing but the whole prefix is ever held back,
 * so a program that prints half an escape sequence swallows nothing of what follows.
 */
export type Piece =
  | { readonly type: 'output'; readonly bytes: Uint8Array }
  | { readonly type: 'mark'; readonly kind: string; readonly fields: readonly string[] };

const BELL = 7;
/** A directory's path and a few numbers fit many times; a longer text is no mark of aish. */
const LONGEST_MARK = 16 * 1024;

/** The beginning of aish's marks. */
export function toMarkPrefix(nonce: string): string {
  return `\x1b]7711;${nonce};`;
}

/** Takes a stream of bytes, cut anywhere, apart into output and marks. */
export class MarkScanner {
  readonly #prefix: Buffer;
  #held: Buffer = Buffer.alloc(0);

  /** Takes what marks begin with. */
  constructor(prefix: string) {
    this.#prefix = Buffer.from(prefix);
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
