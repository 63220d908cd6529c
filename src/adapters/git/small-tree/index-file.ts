import type { BigIntStats } from 'node:fs';
import { renameSync, statSync, writeFileSync } from 'node:fs';
import { attempt } from '../../../core/text/attempt.ts';
import { readRegular } from '../../system/file-status.ts';
import type { Repository } from '../object-store/repository.ts';
import { foldersAbove } from '../process/raw-path.ts';

/*
 * The index of a snapshot in the format of git, version 2: https://git-scm.com/docs/index-format. An index of ours says so, and marks each
 * file that may have changed after we read it without a sign in its times.
 */

/** A file as an index has it. */
export interface IndexEntry {
  readonly mode: string;
  readonly blob: string;
  /** The status of the file when it was read, in the 40 bytes of the format. */
  readonly status: Buffer;
  /** The whole entry in the format, with the name, if it was read. */
  readonly row?: Buffer;
}

/** An index that was read. */
export interface SmallIndex {
  /** By raw path, in the order of git. */
  readonly entries: ReadonlyMap<string, IndexEntry>;
  /** Names of the trees of the folders that have not changed since they were written; a folder's path ends with a `/`. */
  readonly trees: ReadonlyMap<string, string>;
  readonly isOurs: boolean;
}

type Format = Repository['objectFormat'];

const STATUS_BYTES = 40;
const MODE_AT = 24;
const SIZE_AT = 36;
const OURS = 'AISH';
const HASH_BYTES: Readonly<Record<Format, number>> = { sha1: 20, sha256: 32 };
const MODES: ReadonlySet<string> = new Set(['100644', '100755', '120000']);

/** Reads an index; null for one with more than `most` entries, or with anything that a snapshot does not need. */
export function parseIndex(bytes: Buffer, format: Format, most: number): SmallIndex | null {
  const hashBytes = HASH_BYTES[format];
  const end = bytes.length - hashBytes;
  if (end < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC' || bytes.readUInt32BE(4) !== 2) return null;
  const count = bytes.readUInt32BE(8);
  if (count > most || !hashOf(bytes.subarray(0, end), format).equals(bytes.subarray(end))) return null;
  const entries = new Map<string, IndexEntry>();
  let at = 12;
  for (let number = 0; number < count; number += 1) {
    const flagsAt = at + STATUS_BYTES + hashBytes;
    const nameEnd = bytes.indexOf(0, flagsAt + 2);
    const mode = bytes.readUInt32BE(at + MODE_AT).toString(8);
    // Flags are the length of the name alone: no stage of a merge, nothing that is only promised.
    const isPlain = bytes.readUInt16BE(flagsAt) === Math.min(nameEnd - flagsAt - 2, 0xfff);
    if (!MODES.has(mode) || !isPlain) return null;
    entries.set(bytes.toString('latin1', flagsAt + 2, nameEnd), {
      mode,
      blob: bytes.toString('hex', at + STATUS_BYTES, flagsAt),
      status: bytes.subarray(at, at + STATUS_BYTES),
      row: bytes.subarray(at, at + alignedLength(nameEnd - at)),
    });
    at += alignedLength(nameEnd - at);
  }
  const trees = new Map<string, string>();
  let isOurs = false;
  while (at < end) {
    const [name, length] = [bytes.toString('latin1', at, at + 4), bytes.readUInt32BE(at + 4)];
    if (name === 'TREE') readTrees(bytes.subarray(at + 8, at + 8 + length), hashBytes, trees);
    else if (name === OURS) isOurs = true;
    else if (!/^[A-Z]/.test(name)) return null;
    at += 8 + length;
  }
  return at === end ? { entries, trees, isOurs } : null;
}

/** An index, and the file that holds it. */
export interface ReadIndex {
  readonly index: SmallIndex;
  /** The moment at which the file was written, in nanoseconds since the epoch. */
  readonly writtenAt: bigint;
}

/** Remembers the index that was read or written last: most are read several times before another file takes their place. */
class LastIndex {
  #last: (ReadIndex & { readonly file: string }) | null = null;

  read(path: string, format: Format, most: number): ReadIndex | null {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return null;
    const file = describe(stat, format);
    if (this.#last?.file === file) return this.#last;
    const index = attempt(() => parseIndex(readRegular(path), format, most), null);
    this.#last = index === null ? null : { file, index, writtenAt: stat.mtimeNs };
    return this.#last;
  }

  note(path: string, index: SmallIndex, format: Format): void {
    const stat = statSync(path, { bigint: true });
    this.#last = { file: describe(stat, format), index, writtenAt: stat.mtimeNs };
  }
}

function describe({ dev, ino, size, mtimeNs }: BigIntStats, format: Format): string {
  return [dev, ino, size, mtimeNs, format].join(' ');
}

const LAST_INDEX = new LastIndex();

/** Reads the index at a path; null for one with more than `most` entries, or with anything that a snapshot does not need. */
export function readIndex(path: string, format: Format, most: number): ReadIndex | null {
  return LAST_INDEX.read(path, format, most);
}

/** Writes an index beside the one at a path, and returns what puts it in its place. Nobody else has the file at the same time. */
export function writeIndex(path: string, index: SmallIndex, format: Format): () => void {
  const { entries, trees } = index;
  const head = Buffer.alloc(12);
  head.write('DIRC', 0, 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.size, 8);
  const rows: Buffer[] = [];
  for (const [name, entry] of entries) rows.push(entry.row ?? formatEntry(name, entry));
  const body = Buffer.concat([head, ...rows, formatExtension('TREE', formatTrees(entries, trees)), OURS_EXTENSION]);
  const lock = `${path}.lock`;
  writeFileSync(lock, Buffer.concat([body, hashOf(body, format)]), { flag: 'wx', mode: 0o600 });
  LAST_INDEX.note(lock, index, format);
  return () => renameSync(lock, path);
}

function formatEntry(name: string, { blob, status }: IndexEntry): Buffer {
  const length = STATUS_BYTES + blob.length / 2 + 2 + name.length;
  const row = Buffer.alloc(alignedLength(length));
  status.copy(row);
  row.write(blob, STATUS_BYTES, 'hex');
  row.writeUInt16BE(Math.min(name.length, 0xfff), STATUS_BYTES + blob.length / 2);
  row.write(name, length - name.length, 'latin1');
  return row;
}

/** An entry ends with one to eight zero bytes. */
function alignedLength(length: number): number {
  return (length + 8) & ~7;
}

function formatExtension(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 0, 'latin1');
  head.writeUInt32BE(content.length, 4);
  return Buffer.concat([head, content]);
}

const OURS_EXTENSION = formatExtension(OURS, Buffer.alloc(0));

function hashOf(bytes: Buffer, format: Format): Buffer {
  return new Bun.CryptoHasher(format).update(bytes).digest();
}

/** The trees stand one behind the other, each before those in it. */
function readTrees(bytes: Buffer, hashBytes: number, trees: Map<string, string>): void {
  const read = (at: number, above: string | null): number => {
    const [nameEnd, lineEnd] = [bytes.indexOf(0, at), bytes.indexOf(10, at)];
    const folder = above === null ? '' : `${above}${bytes.toString('latin1', at, nameEnd)}/`;
    const [count = -1, within = 0] = bytes
      .toString('latin1', nameEnd + 1, lineEnd)
      .split(' ')
      .map(Number);
    let next = lineEnd + 1;
    if (count >= 0) {
      trees.set(folder, bytes.toString('hex', next, next + hashBytes));
      next += hashBytes;
    }
    for (let number = 0; number < within; number += 1) next = read(next, folder);
    return next;
  };
  if (bytes.length > 0) read(0, null);
}

function formatTrees(entries: SmallIndex['entries'], trees: SmallIndex['trees']): Buffer {
  const counts = new Map<string, number>();
  const within = new Map<string, Set<string>>();
  for (const [innermost, count] of countFiles(entries)) {
    counts.set('', (counts.get('') ?? 0) + count);
    let above = '';
    for (const folder of foldersAbove(innermost)) {
      counts.set(folder, (counts.get(folder) ?? 0) + count);
      const known = within.get(above) ?? new Set<string>();
      within.set(above, known.add(folder));
      above = folder;
    }
  }
  const format = (folder: string, above: string): readonly Buffer[] => {
    const folders = [...(within.get(folder) ?? [])];
    const tree = trees.get(folder);
    const count = tree === undefined ? -1 : (counts.get(folder) ?? 0);
    const name = folder.slice(above.length, -1);
    const line = Buffer.from(`${name}\0${count} ${folders.length}\n`, 'latin1');
    return [line, Buffer.from(tree ?? '', 'hex'), ...folders.flatMap((one) => format(one, folder))];
  };
  return Buffer.concat(format('', ''));
}

/** The number of files that lie in each folder itself. */
function countFiles(entries: SmallIndex['entries']): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const path of entries.keys()) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}

/** The status of a file as an index keeps it. */
export function formatStatus(stat: BigIntStats, mode: string): Buffer {
  const status = Buffer.alloc(STATUS_BYTES);
  const numbers = [stat.ctimeNs / SECOND, stat.ctimeNs % SECOND, stat.mtimeNs / SECOND, stat.mtimeNs % SECOND];
  const rest = [stat.dev, stat.ino, BigInt(Number.parseInt(mode, 8)), stat.uid, stat.gid, stat.size];
  [...numbers, ...rest].forEach((value, at) => {
    status.writeUInt32BE(Number(BigInt.asUintN(32, value)), 4 * at);
  });
  return status;
}

const SECOND = 1_000_000_000n;

/** The same for a file that may change without a sign in its times: its size, which is wrong, has everybody read it again. */
export function withoutSize(status: Buffer): Buffer {
  const marked = Buffer.from(status);
  marked.writeUInt32BE(0, SIZE_AT);
  return marked;
}

/** The moment of the last write in whole seconds, as an index keeps it. */
export function secondsOf(status: Buffer): number {
  return status.readUInt32BE(8);
}
