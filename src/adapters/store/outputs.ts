import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { toPlainText } from '../shell/record.ts';
import { nextTurn } from '../system/patience.ts';
import { outputGone } from './messages.ts';
import {
  type Captured,
  NO_SECRETS,
  OUTPUT_LIMITS,
  OutputCapture,
  OutputFile,
  type OutputLimits,
  type OutputSecrets,
  SMALL_BYTES,
} from './output-file.ts';

/** The folder and limits of a session's outputs. */
export interface OutputStoreOptions {
  readonly folder: string;
  readonly limits?: OutputLimits;
  /** Most bytes of all outputs on disk; after that aish deletes the oldest. */
  readonly total?: number;
  /** Redacts what goes to a file. */
  readonly secrets?: OutputSecrets;
}

const TOTAL = 1_000_000_000;
/** Most small outputs with colours, in bytes and number. */
const MOST_RECENT = 256 * 1024;
const MOST_OUTPUTS = 1000;
const BLOCK = 256 * 1024;
/** An endlessly redrawn line is read in pieces of this size. */
const LONGEST_LINE = 4 * 1024 * 1024;

/**
 * The outputs of one session, by number. `N.out` holds the raw bytes; `N.txt` the plain text, made on first use. A small output has no
 * file: the log holds its text, and memory holds the newest with their colours. Files hold no secrets; memory may.
 */
export class OutputStore {
  readonly #options: OutputStoreOptions;
  readonly #recent = new Map<number, Buffer>();
  readonly #secrets: OutputSecrets;
  #recentBytes = 0;
  #last: number | null = null;

  constructor(options: OutputStoreOptions) {
    this.#options = options;
    this.#secrets = options.secrets ?? NO_SECRETS;
  }

  /** Begins the next output. `after` is the highest number in the log. */
  begin(after: number): { readonly handle: number; readonly capture: OutputCapture } {
    this.#last ??= Math.max(0, ...this.#files().map(({ handle }) => handle));
    const handle = Math.max(this.#last, after) + 1;
    this.#last = handle;
    const { limits = OUTPUT_LIMITS } = this.#options;
    const openFile = (): OutputFile => new OutputFile(this.#path(handle, 'out'), limits, this.#secrets.byteStream);
    return { handle, capture: new OutputCapture(openFile, this.#secrets) };
  }

  /** Ends an output and keeps it. */
  async finish(handle: number, capture: OutputCapture): Promise<Captured> {
    const captured = await capture.finish();
    if (captured.small !== null) this.#remember(handle, captured.small);
    else this.#dropOldest(handle);
    return captured;
  }

  /** An output without a file; null for others. */
  small(record: CommandRecord): string | null {
    if (record.gap !== undefined || record.bytes > SMALL_BYTES) return null;
    return this.#recent.get(record.handle ?? 0)?.toString('utf8') ?? record.output;
  }

  /** The file with all bytes of an output, colours included. */
  async rawFile(record: CommandRecord): Promise<string> {
    const handle = record.handle ?? 0;
    const path = this.#path(handle, 'out');
    if (exists(path)) return path;
    const bytes = this.#recent.get(handle);
    return bytes === undefined ? this.plainFile(record) : this.#write(handle, 'out', [bytes]);
  }

  /** The file with the text of an output. */
  async plainFile(record: CommandRecord): Promise<string> {
    const handle = record.handle ?? 0;
    const path = this.#path(handle, 'txt');
    return exists(path) ? path : this.#write(handle, 'txt', this.blocks(record));
  }

  /** The text of an output in pieces of whole lines. */
  *blocks(record: CommandRecord): Generator<string> {
    const path = this.#path(record.handle ?? 0, 'out');
    if (exists(path)) return yield* readPlain(path);
    if (record.gap !== undefined) throw outputGone(record.handle);
    yield record.output;
  }

  /** The folder of the files. */
  get folder(): string {
    return this.#options.folder;
  }

  #remember(handle: number, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#recent.set(handle, bytes);
    this.#recentBytes += bytes.length;
    for (const [oldest, held] of this.#recent) {
      if (this.#recentBytes <= MOST_RECENT && this.#recent.size <= MOST_OUTPUTS) break;
      this.#recent.delete(oldest);
      this.#recentBytes -= held.length;
    }
  }

  /** Yields to other work between the pieces. */
  async #write(handle: number, form: 'out' | 'txt', parts: Iterable<string | Uint8Array>): Promise<string> {
    const path = this.#path(handle, form);
    const fresh = `${path}.new`;
    mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 });
    const file = openSync(fresh, 'w', 0o600);
    const cover = this.#secrets.byteStream();
    try {
      for (const part of parts) {
        writeFileSync(file, cover.push(Buffer.from(part)));
        await nextTurn();
      }
      writeFileSync(file, cover.end());
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
    this.#dropOldest(handle);
    return path;
  }

  #dropOldest(newest: number): void {
    const files = this.#files().sort((one, other) => one.handle - other.handle);
    let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const { handle, path, bytes } of files) {
      if (total <= (this.#options.total ?? TOTAL) || handle === newest) break;
      rmSync(path, { force: true });
      total -= bytes;
    }
  }

  #files(): { readonly handle: number; readonly path: string; readonly bytes: number }[] {
    return folderNames(this.#options.folder).flatMap((name) => {
      const handle = Number(/^(\d+)\.(?:out|txt)(?:\.new)?$/.exec(name)?.[1] ?? Number.NaN);
      const path = join(this.#options.folder, name);
      const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      return Number.isNaN(handle) ? [] : [{ handle, path, bytes }];
    });
  }

  #path(handle: number, form: 'out' | 'txt'): string {
    return join(this.#options.folder, `${handle}.${form}`);
  }
}

function* readPlain(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      const block = Buffer.allocUnsafe(BLOCK);
      const count = readSync(file, block, 0, block.length, null);
      if (count === 0) break;
      const bytes = rest.length === 0 ? block.subarray(0, count) : Buffer.concat([rest, block.subarray(0, count)]);
      const end = bytes.length > LONGEST_LINE ? bytes.length : bytes.lastIndexOf(0x0a) + 1;
      rest = bytes.subarray(end);
      if (end > 0) yield toPlainText(bytes.subarray(0, end));
    }
    if (rest.length > 0) yield toPlainText(rest);
  } finally {
    closeSync(file);
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function folderNames(folder: string): string[] {
  // The folder does not exist yet.
  return attempt(() => readdirSync(folder), []);
}
