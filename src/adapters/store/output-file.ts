import { closeSync, constants, mkdirSync, openSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { countBytes } from '../../core/byte-size.ts';
import type { SecretByteStream } from '../../core/secrets/matcher.ts';
import { NO_SECRETS } from './output-secrets.ts';

/** How much of one output is kept on disk. */
export interface OutputLimits {
  /** Bytes of the beginning. */
  readonly head: number;
  /** Bytes of the end, held in memory until the output ends. */
  readonly tail: number;
}

/** Up to 100 MB an output is kept whole. */
export const OUTPUT_LIMITS: OutputLimits = { head: 96_000_000, tail: 4_000_000 };

/** What became of an output on disk. */
export interface Written {
  /** Bytes left out of the middle. */
  readonly missing: number;
  /** Why it could not be written; null when it could. */
  readonly problem: string | null;
}

const BLOCK = 256 * 1024;
const LINE_FEED = 0x0a;
/** Blocks that may wait for a slow disk (24 MB); past that only the end of the output is added. */
const MOST_WAITING = 96;

/**
 * One output on disk, written behind the terminal's back: whoever writes here never waits. Of an output that is too large the beginning
 * is on disk at once and the end comes from memory when it is over, with a line between them that says what is missing.
 */
export class OutputFile {
  readonly #limits: OutputLimits;
  readonly #open: () => SecretByteStream;
  /** What is written passes through this. */
  #cover: SecretByteStream;
  #fd: number | null = null;
  #block = Buffer.allocUnsafe(BLOCK);
  #used = 0;
  #taken = 0;
  #missing = 0;
  #tail: TailBuffer | null = null;
  #waiting = 0;
  #writes: Promise<void> = Promise.resolve();
  #problem: string | null = null;

  /** `cover` takes out of the bytes what may be in no file. */
  constructor(path: string, limits: OutputLimits = OUTPUT_LIMITS, cover = NO_SECRETS.byteStream) {
    this.#limits = limits;
    this.#open = cover;
    this.#cover = cover();
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
      this.#fd = openSync(path, flags, 0o600);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  write(bytes: Buffer): void {
    if (this.#problem !== null) return;
    if (this.#waiting >= MOST_WAITING) this.#tail ??= new TailBuffer(this.#limits.tail);
    const room = this.#tail === null ? Math.max(0, this.#limits.head - this.#taken) : 0;
    if (room > 0) this.#appendCovered(bytes.subarray(0, room));
    if (bytes.length <= room) return;
    this.#tail ??= new TailBuffer(this.#limits.tail);
    this.#tail.write(bytes.subarray(room));
  }

  /** Puts the end behind the beginning and closes the file. */
  async finish(): Promise<Written> {
    const tail = this.#tail;
    if (tail !== null && this.#problem === null) this.#appendTail(tail);
    this.#append(toBuffer(this.#cover.end()));
    this.#tail = null;
    this.#flush();
    await this.#writes;
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    return { missing: this.#missing, problem: this.#problem };
  }

  /** Where the middle is missing, the end begins with a whole line, and of the beginning nothing is told that may be half a secret. */
  #appendTail(tail: TailBuffer): void {
    const kept = tail.read();
    const isCut = tail.written > kept.length;
    const end = isCut ? kept.subarray(kept.indexOf(LINE_FEED) + 1) : kept;
    this.#missing = tail.written - end.length;
    if (isCut) {
      this.#cover = this.#open();
      this.#append(Buffer.from(`\r\n[… ${countBytes(this.#missing)} left out here …]\r\n`));
    }
    this.#appendCovered(end);
  }

  #appendCovered(bytes: Buffer): void {
    this.#taken += bytes.length;
    this.#append(toBuffer(this.#cover.push(bytes)));
  }

  #append(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const count = bytes.copy(this.#block, this.#used, at);
      this.#used += count;
      at += count;
      if (this.#used === this.#block.length) this.#flush();
    }
  }

  #flush(): void {
    if (this.#used === 0 || this.#problem !== null) return;
    const block = this.#block.subarray(0, this.#used);
    this.#used = 0;
    this.#block = Buffer.allocUnsafe(BLOCK);
    this.#waiting += 1;
    this.#writes = this.#writes
      .then(() => this.#writeBlock(block))
      .catch((thrown) => this.#fail(thrown))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #writeBlock(block: Buffer): Promise<void> {
    for (let at = 0; at < block.length && this.#problem === null && this.#fd !== null; ) {
      at += await writeSome(this.#fd, block.subarray(at));
    }
  }

  #fail(thrown: unknown): void {
    this.#problem ??= thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** The same bytes, not copied. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function writeSome(fd: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, 0, bytes.length, null, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/** The last bytes of what passes, in a ring. */
class TailBuffer {
  readonly #ring: Buffer;
  /** Bytes that have passed. */
  written = 0;

  constructor(size: number) {
    this.#ring = Buffer.allocUnsafe(size);
  }

  write(bytes: Buffer): void {
    const size = this.#ring.length;
    const kept = bytes.length > size ? bytes.subarray(bytes.length - size) : bytes;
    const at = (this.written + bytes.length - kept.length) % size;
    const first = kept.copy(this.#ring, at);
    if (first < kept.length) kept.copy(this.#ring, 0, first);
    this.written += bytes.length;
  }

  read(): Buffer {
    const size = this.#ring.length;
    if (this.written <= size) return this.#ring.subarray(0, this.written);
    const at = this.written % size;
    return Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
  }
}
