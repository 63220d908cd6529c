import { createReadStream, readdirSync } from 'node:fs';
import { readBytes } from '../system/file-status.ts';
import * as messages from './messages.ts';
import { EMPTY_FILE, formatMoreEntries, formatPage, formatPastEnd, notText } from './messages.ts';

/** Lines and bytes one answer holds at most. */
const MOST_LINES = 2000;
const MOST_BYTES = 48_000;
const MOST_ENTRIES = 200;

/** Part of a file, with what is known of the whole. */
interface Window {
  readonly pieces: Buffer[];
  bytes: number;
  /** Complete lines seen in the whole file. */
  lines: number;
  /** Last line of which something was taken. */
  last: number;
  /** True where the taken part ends inside a line that was too long. */
  cut: boolean;
  total: number;
  endsOpen: boolean;
}

/** Which lines, from the first as 1, and how many bytes the file had a moment ago. */
interface WantedLines {
  readonly offset: number;
  readonly limit: number | null;
  readonly size: number;
}

/** Reads lines of a text file, bounded; the last line names the next page. */
export async function readLines(
  path: string,
  { offset, limit, size }: WantedLines,
  signal: AbortSignal,
): Promise<string> {
  const most = Math.min(limit ?? MOST_LINES, MOST_LINES);
  const window: Window = { pieces: [], bytes: 0, lines: 0, last: 0, cut: false, total: 0, endsOpen: false };
  for await (const bytes of piecesOf(path, size, signal)) {
    if (window.total < BINARY_PROBE && bytes.subarray(0, BINARY_PROBE).includes(0)) throw notText(path);
    addChunk(window, bytes, offset, offset + most);
  }
  const count = window.lines + (window.endsOpen ? 1 : 0);
  if (window.total === 0) return EMPTY_FILE;
  if (offset > count) return formatPastEnd(count, offset);
  return formatWindow(window, offset, count);
}

/** A text has no zero byte in so many first bytes. */
export const BINARY_PROBE = 8192;
/** A file up to this many bytes is read at once. */
const ONE_PIECE = 256 * 1024;

/**
 * The bytes of a file. A stream is for large files, and for those that do not tell their size: it takes longer to be made than a small one
 * to be read.
 */
async function* piecesOf(path: string, size: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  if (size > 0 && size <= ONE_PIECE) {
    const bytes = await readBytes(path);
    signal.throwIfAborted();
    yield bytes;
    return;
  }
  for await (const chunk of createReadStream(path, { signal }))
    yield Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
}

/** Lists a directory, bounded, directories marked with a slash, and counts its entries. */
export function listDirectory(path: string): { readonly count: number; readonly list: string } {
  const entries = readdirSync(path, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  const shown = names.slice(0, MOST_ENTRIES).join('\n');
  const rest = names.length - MOST_ENTRIES;
  return { count: names.length, list: rest > 0 ? `${shown}\n${formatMoreEntries(rest, names.length)}` : shown };
}

function addChunk(window: Window, chunk: Buffer, from: number, to: number): void {
  window.total += chunk.length;
  let start = 0;
  while (start < chunk.length) {
    const line = window.lines + 1;
    const feed = chunk.indexOf(10, start);
    const end = feed === -1 ? chunk.length : feed + 1;
    if (line >= from && line < to) takePiece(window, chunk.subarray(start, end), line);
    if (feed !== -1) window.lines += 1;
    start = end;
  }
  window.endsOpen = chunk.at(-1) !== 10;
}

/** Whole lines as long as they fit; a first line that is longer than everything is cut. */
function takePiece(window: Window, piece: Buffer, line: number): void {
  if (window.cut || window.bytes >= MOST_BYTES) return;
  const room = MOST_BYTES - window.bytes;
  window.cut = piece.length > room;
  const taken = window.cut ? piece.subarray(0, room) : piece;
  window.pieces.push(Buffer.from(taken));
  window.bytes += taken.length;
  window.last = line;
}

function formatWindow(window: Window, offset: number, count: number): string {
  const text = Buffer.concat(window.pieces).toString('utf8');
  if (!window.cut && window.last >= count && offset === 1) return text;
  const body = text.endsWith('\n') ? text : `${text}\n`;
  const { last } = window;
  return `${body}${formatPage(offset, last, count, window.cut ? last : null, last < count ? last + 1 : null)}`;
}

/** The reason that a replacement cannot be made. Only the hint contains text of the file. */
interface EditProblem {
  readonly problem: string;
  readonly hint: string;
}

/** A replacement in a text, or why it cannot be made. */
export type Edited = { readonly text: string; readonly lines: readonly number[] } | EditProblem;

/** The texts of a replacement. Texts are raw: one character per byte. */
interface Replacement {
  readonly old: string;
  readonly fresh: string;
  readonly all: boolean;
}

/** Replaces exact text. In a file with CR LF line ends, plain line ends of the arguments mean CR LF. */
export function editText(text: string, replacement: Replacement): Edited {
  const { old, fresh } = fitLineEnds(text, replacement);
  const places = findPlaces(text, old);
  if (places.length === 0) return describeMissing(text, replacement.old);
  const lines = lineNumbers(text, places);
  if (places.length > 1 && !replacement.all) {
    const shown = lines.slice(0, 10).join(', ') + (lines.length > 10 ? ', …' : '');
    return { problem: messages.formatOccurrences(places.length, shown), hint: messages.MAKE_UNIQUE };
  }
  return { text: text.split(old).join(fresh), lines };
}

function fitLineEnds(text: string, replacement: Replacement): { old: string; fresh: string } {
  const { old, fresh } = replacement;
  const feeds = text.split('\n').length - 1;
  const pairs = text.split('\r\n').length - 1;
  if (pairs * 2 <= feeds) return { old, fresh };
  const fitted = { old: toCrLf(old), fresh: toCrLf(fresh) };
  return text.includes(fitted.old) ? fitted : { old, fresh };
}

function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function findPlaces(text: string, old: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + old.length)) places.push(at);
  return places;
}

function lineNumbers(text: string, places: readonly number[]): readonly number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (let at = text.indexOf('\n', from); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
    from = place;
    return line;
  });
}

const MOST_COMPARED = 20_000;

/** Shows the line that comes closest to the first line of what was looked for. */
function describeMissing(text: string, old: string): EditProblem {
  const wanted =
    old
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '') ?? '';
  const pairs = toPairs(wanted);
  let best = { score: 0.4, number: 0, line: '' };
  for (const [index, line] of text.split('\n').slice(0, MOST_COMPARED).entries()) {
    const score = line.trim() === wanted ? 1 : similarity(pairs, toPairs(line.trim().slice(0, 500)));
    if (score > best.score) best = { score, number: index + 1, line: line.replace(/\r$/, '') };
  }
  const problem = messages.NOT_FOUND;
  if (best.number === 0) return { problem, hint: messages.NO_SIMILAR_LINE };
  const shown = JSON.stringify(Buffer.from(best.line.slice(0, 200), 'latin1').toString('utf8'));
  const hint = best.score === 1 ? messages.OTHER_SPACE : messages.COPY_EXACTLY;
  return { problem, hint: messages.formatNearest(best.number, shown, hint) };
}

/** Share of neighbouring letters both have in common, from 0 to 1. */
function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0) return 0;
  let common = 0;
  for (const pair of one) if (other.has(pair)) common += 1;
  return (2 * common) / (one.size + other.size);
}

function toPairs(text: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < text.length; at += 1) pairs.add(text.slice(at, at + 2));
  return pairs;
}
