import { closeSync, constants, mkdirSync, openSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { ERROR_WORDS, ErrorCollector } from '../../core/context/output-excerpt.ts';
import type { SecretByteStream } from '../../core/secrets/live-stream.ts';
import { once } from '../../core/text/memoize.ts';
import type { NumberedLine } from '../../protocol/command.ts';
import { toPlainText } from '../shell/record.ts';
import { formatGap } from './messages.ts';

/** The limits of one output on disk. */
export interface OutputLimits {
  /** Bytes of the beginning. */
  readonly head: number;
  /** Bytes of the end, held in memory until the output ends. */
  readonly tail: number;
}

/** An output up to 100 MB is kept whole. */
export const OUTPUT_LIMITS: OutputLimits = { head: 96_000_000, tail: 4_000_000 };

/** Result of writing an output to disk. */
export interface Written {
  /** Bytes left out of the middle. */
  readonly missing: number;
  /** Why the write failed; null if it did not. */
  readonly problem: string | null;
}

const BLOCK = 256 * 1024;
const LINE_FEED = 0x0a;
/** Blocks that may wait for a slow disk (24 MB); after that only the end of the output is added. */
const MOST_WAITING = 96;

/**
 * One output on disk, whose writer never waits. The beginning of an output that is too large goes to disk immediately. Its end stays in
 * memory until the output ends; a line between them shows the gap.
 */
export class OutputFile {
  readonly #limits: OutputLimits;
  readonly #open: () => SecretByteStream;
  /** Redacts all written bytes. */
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

  /** Settles when the disk has all complete blocks. */
  get written(): Promise<void> {
    return this.#writes;
  }

  /** Appends the end and closes the file. */
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

  /** After a gap the end begins with a complete line, and the beginning stops before half a secret. */
  #appendTail(tail: TailBuffer): void {
    const kept = tail.read();
    const isCut = tail.written > kept.length;
    const end = isCut ? kept.subarray(kept.indexOf(LINE_FEED) + 1) : kept;
    this.#missing = tail.written - end.length;
    if (isCut) {
      this.#cover = this.#open();
      this.#append(Buffer.from(formatGap(this.#missing)));
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
    for (let at = 0; at < block.length && this.#problem === null && this.#fd !== null; )
      at += await writeSome(this.#fd, block.subarray(at));
  }

  #fail(thrown: unknown): void {
    this.#problem ??= thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** The same bytes, not copied. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function writeSome(fd: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, 0, bytes.length, null, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/** A ring of the last bytes. */
class TailBuffer {
  readonly #ring: Buffer;
  /** Bytes in all. */
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

/** Redacts an output. */
export interface OutputSecrets {
  redact(text: string): string;
  byteStream(): SecretByteStream;
}

/** Redacts nothing. */
export const NO_SECRETS: OutputSecrets = {
  redact: (text) => text,
  byteStream: () => ({ push: (bytes) => bytes, end: () => new Uint8Array(0) }),
};

/** The recorded output. */
export interface Captured {
  readonly bytes: number;
  /** Lines in all, with an unfinished one. */
  readonly lines: number;
  /** The first and last lines that look like errors. */
  readonly errors: readonly NumberedLine[];
  /** All bytes of a small output; null if a file holds them. */
  readonly small: Buffer | null;
  /** Bytes left out of the middle of the file. */
  readonly missing: number;
  /** Why the write failed; null if it did not. */
  readonly problem: string | null;
}

/** The log holds an output up to this many bytes. */
export const SMALL_BYTES = 32 * 1024;
/** The words of errors as bytes, in the usual letter cases. */
const errorWords = once((): readonly Buffer[] =>
  ERROR_WORDS.flatMap((word) =>
    [word, word.slice(0, 1).toUpperCase() + word.slice(1), word.toUpperCase()].map((one) => Buffer.from(one)),
  ),
);
const LATE_PIECES = 4;
/** A longer line is searched in pieces. */
const LONGEST_REST = 16 * 1024;

/** Records one output: a small one in memory, a large one in a file. Counts its lines and searches for errors. */
export class OutputCapture {
  readonly #openFile: () => OutputFile;
  readonly #secrets: OutputSecrets;
  readonly #errors = new ErrorCollector();
  #small: Buffer[] = [];
  #file: OutputFile | null = null;
  #bytes = 0;
  #line = 1;
  /** An unfinished line. */
  #rest = '';
  #endsOpen = false;
  #late: { readonly text: string; readonly line: number }[] = [];

  constructor(openFile: () => OutputFile, secrets: OutputSecrets) {
    this.#openFile = openFile;
    this.#secrets = secrets;
  }

  /** Copies the next bytes. */
  readonly write = (bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    const view = toBuffer(bytes);
    this.#bytes += view.length;
    this.#keep(view);
    this.#look(view);
  };

  /** Settles when the disk has nearly all. A writer that waits for it loses nothing, however fast it is. */
  readonly written = (): Promise<void> => this.#file?.written ?? Promise.resolve();

  /** Ends the output and waits for the disk. */
  async finish(): Promise<Captured> {
    for (const { text, line } of this.#late.splice(0)) this.#addError(text, line);
    if (this.#rest !== '') this.#addError(this.#rest, this.#line);
    const file = this.#file;
    const small = file === null ? Buffer.concat(this.#small) : null;
    this.#small = [];
    const { missing, problem } = (await file?.finish()) ?? { missing: 0, problem: null };
    const lines = this.#line - 1 + (this.#endsOpen ? 1 : 0);
    return { bytes: this.#bytes, lines, errors: this.#errors.errors(), small, missing, problem };
  }

  /** In a flood of errors only the last pieces are searched, at the end. */
  #found(text: string, line: number): void {
    if (this.#errors.hasFirst) this.#late.push({ text, line });
    else this.#addError(text, line);
    if (this.#late.length > LATE_PIECES) this.#late.shift();
  }

  #addError(text: string, line: number): void {
    this.#errors.add(this.#secrets.redact(toPlainText(Buffer.from(text, 'latin1'))), line);
  }

  #keep(view: Buffer): void {
    if (this.#bytes <= SMALL_BYTES) {
      this.#small.push(Buffer.from(view));
      return;
    }
    this.#file ??= this.#openFile();
    for (const part of [...this.#small.splice(0), view]) this.#file.write(part);
  }

  /** Searches complete lines; an unfinished line waits. A flood without errors never becomes text. */
  #look(view: Buffer): void {
    const last = view.lastIndexOf(LINE_FEED);
    this.#endsOpen = last !== view.length - 1;
    if (last < 0) {
      if (this.#rest.length < LONGEST_REST) this.#rest += view.toString('latin1', 0, LONGEST_REST);
      return;
    }
    const from = this.#line;
    this.#line += countLineFeeds(view, last + 1);
    if (this.#mayHold(view)) this.#found(this.#rest + view.toString('latin1', 0, last), from);
    this.#rest = view.toString('latin1', last + 1, Math.min(view.length, last + 1 + LONGEST_REST));
  }

  /** A word may begin in the unfinished line before. */
  #mayHold(view: Buffer): boolean {
    if (errorWords().some((word) => view.includes(word))) return true;
    if (this.#rest === '') return false;
    const end = Math.min(view.indexOf(LINE_FEED), LONGEST_REST);
    return ErrorCollector.mayHold(this.#rest + view.toString('latin1', 0, end));
  }
}

function countLineFeeds(view: Buffer, end: number): number {
  let count = 0;
  for (let at = 0; at < end; at += 1) if (view[at] === LINE_FEED) count += 1;
  return count;
}
