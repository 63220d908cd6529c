import { createEncodingIndex, type Encoded, type EncodingCache, type EncodingIndex, toByteText } from './encodings.ts';
import { columnsIn, mayBePrefix, withoutTags } from './line-prefixes.ts';
import { type LiveStream, type Piece, type PieceOptions, streamPieces } from './live-stream.ts';
import { type Found, type Opening, type Region, type SearchOptions, searchEncodings } from './search.ts';
import { formatPlaceholder, PLACEHOLDER, type Secret } from './secret.ts';

/** Finds a fixed set of secrets in texts. */
export interface SecretMatcher {
  /** Replaces each secret by a placeholder. */
  redact(text: string): string;
  /** The beginning of a piece that later text cannot change. */
  take(text: string, options: PieceOptions): Piece;
  stream(options?: { bytes?: boolean }): LiveStream;
}

/** The maximum length of undecided text; longer text is released. */
const LONGEST_HELD = 128 * 1024;

/** A match that may continue is held back up to this length, such as a secret repeated over and over. */
const LONGEST_FOUND = 512;

/** The same limit for a private key of many lines. */
const LONGEST_KEY = 8 * 1024;

/** Length of the line before undecided text that is kept. */
const LONGEST_LEAD = 256;

/** Parts of one value, such as the lines of a key, form one region if at most this many characters separate them. */
const JOINT = 8;

/** Number of first letters of a secret that reveal nothing, because almost any text ends with them. */
const MOST_AT_ONCE = 2;

/** Number of first letters that may be shown after a pause. */
const MOST_IN_SILENCE = 3;

/** Creates an immutable matcher of these secrets. */
export function createSecretMatcher(secrets: readonly Secret[], cache: EncodingCache = new WeakMap()): SecretMatcher {
  let made: EncodingIndex | null = null;
  const take = (text: string, options: PieceOptions): Piece => {
    if (secrets.length === 0 || text === '') return wholePiece(text, options);
    made ??= createEncodingIndex(secrets, cache);
    return takePiece(made, text, options);
  };
  return {
    redact: (text) => take(text, { atLineStart: true, final: true }).text,
    take,
    stream: (options) => streamPieces((text, how) => take(text, { ...options, ...how })),
  };
}

/** A piece without anything to search for. */
function wholePiece(text: string, { told = 0 }: PieceOptions): Piece {
  const { length } = text;
  return { used: length, soon: length, text: text.slice(told), later: length, rest: '' };
}

function takePiece(index: EncodingIndex, text: string, options: PieceOptions): Piece {
  const { bytes = false, final, told = 0, live = false } = options;
  const found = search(index, text, options);
  const regions = outsidePlaceholders(mergeRegions(found.flatMap((one) => one.regions)), text);
  /** The position to cut the text, so that an open match longer than `most` is held back. */
  const cutAt = (most: number): number => {
    const open = found.flatMap(({ openings }) => openings.filter(({ signs }) => signs > most));
    const first = open.reduce((least, { at }) => Math.min(least, at), text.length);
    return final ? text.length : cutBefore(text, regions, first);
  };
  // A long match is cut, and its shown part is matched again with the next piece.
  const endAt = (at: number): number => regions.find(({ from, to }) => from < at && to > at)?.to ?? at;
  const decided = cutAt(-1);
  // The prefix of a line is needed to recognise it in the next line.
  const used = final ? decided : Math.max(lineStart(text, decided), decided - LONGEST_LEAD);
  const soon = Math.max(told, endAt(live ? cutAt(MOST_AT_ONCE) : decided));
  const later = live ? Math.max(soon, endAt(cutAt(MOST_IN_SILENCE))) : soon;
  const name = ({ of }: Region): string => (bytes ? toByteText(formatPlaceholder(of.name)) : formatPlaceholder(of.name));
  const between = (from: number, to: number): string => replaceRegions(text, regions, { from, to, name });
  return { used, soon, text: between(told, soon), later, rest: between(soon, later) };
}

/** Finds secrets in all encodings and layouts. */
function search(index: EncodingIndex, text: string, { atLineStart, final, bytes = false }: PieceOptions): Found[] {
  const options = { final, bytes };
  const found = [
    searchEncodings(index, text, options),
    searchDumps(index, text, { atLineStart, final }),
    ...index.secrets.flatMap((secret) => searchVerbatim(secret, text, options)),
    ...searchColumns(index, text, options),
  ];
  if (final || !mayBePrefix(text)) return found;
  // A match that is open before the last line stays open if the last line may be only a prefix.
  const above = text.slice(0, lineStart(text, text.length) - 1);
  const openAbove = [searchEncodings(index, above, options), ...searchColumns(index, above, options)];
  return [...found, ...openAbove.map((one) => ({ regions: [], openings: moved(one, above.length, (at) => at) }))];
}

/** Finds secrets wrapped over prefixed lines, or interrupted by tags. */
function searchColumns(index: EncodingIndex, text: string, { final, bytes }: SearchOptions): Found[] {
  const untagged = withoutTags(text);
  return [...columnsIn(text), ...(untagged === null ? [] : [untagged])].map(({ text: column, toWhole, to }) => {
    const isLast = !final && to >= text.length - 1;
    const found = searchEncodings(index, column, { final: !isLast, bytes });
    const regions = found.regions.map((one) => ({ ...one, from: toWhole(one.from), to: toWhole(one.to - 1) + 1 }));
    return { regions, openings: moved(found, column.length, toWhole) };
  });
}

/** Converts open matches of a part to positions of the whole text; a match at the very end of the part is ignored. */
function moved({ openings }: Found, length: number, toWhole: (at: number) => number): Opening[] {
  return openings.filter(({ at }) => at < length).map(({ at, signs }) => ({ at: toWhole(at), signs }));
}

function searchVerbatim(of: Encoded, text: string, { final, bytes }: SearchOptions): Found[] {
  return of.verbatim.map(({ text: quoted, isAlone }) => {
    const wanted = bytes ? toByteText(quoted) : quoted;
    const regions: Region[] = [];
    const openings: Opening[] = [];
    for (let from = text.indexOf(wanted); from >= 0; from = text.indexOf(wanted, from + wanted.length)) {
      const to = from + wanted.length;
      if (!isAlone || !isTouched(text, from, to)) regions.push({ from, to, of });
      if (isAlone && to === text.length && !final) openings.push({ at: from, signs: wanted.length });
    }
    for (let at = Math.max(0, text.length - wanted.length + 1); at < text.length; at += 1)
      if (wanted.startsWith(text.slice(at))) openings.push({ at, signs: text.length - at });
    return { regions, openings };
  });
}

function isTouched(text: string, from: number, to: number): boolean {
  return /[0-9A-Za-z]/.test(text[from - 1] ?? '') || /[0-9A-Za-z]/.test(text[to] ?? '');
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Sorts and merges regions; of two overlapping regions the longer gives the name. */
function mergeRegions(regions: readonly Region[]): Region[] {
  const merged: Region[] = [];
  for (const region of regions.toSorted((left, right) => left.from - right.from || right.to - left.to)) {
    const last = merged.at(-1);
    const reach = last?.of === region.of && region.of.inParts ? JOINT + 1 : 0;
    if (last === undefined || region.from >= last.to + reach) merged.push(region);
    else {
      const { of } = region.to - region.from > last.to - last.from ? region : last;
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, region.to), of };
    }
  }
  return merged;
}

/** A name inside a placeholder is not a secret. */
function outsidePlaceholders(regions: Region[], text: string): Region[] {
  if (regions.length === 0 || !text.includes('⟨secret:')) return regions;
  const kept = Array.from(text.matchAll(PLACEHOLDER), ({ index, 0: { length } }) => ({ from: index, to: index + length }));
  return regions.filter(({ from, to }) => !kept.some((one) => one.from <= from && to <= one.to));
}

/** The position to cut a text: a region that may continue is held back as a whole. */
function cutBefore(text: string, regions: readonly Region[], open: number): number {
  let used = Math.max(open, text.length - LONGEST_HELD);
  const last = regions.at(-1);
  if (last?.of.inParts && last.to + JOINT >= used && last.to - last.from < LONGEST_KEY) used = Math.min(used, last.from);
  for (const { from, to, of } of regions)
    if (from < used && to > used && to - from < (of.inParts ? LONGEST_KEY : LONGEST_FOUND)) used = from;
  return used;
}

/** The text between two positions with placeholders. For a partly shown region the placeholder replaces the rest. */
function replaceRegions(
  text: string,
  regions: readonly Region[],
  { from, to, name }: { from: number; to: number; name: (region: Region) => string },
): string {
  let clean = '';
  let at = from;
  for (const region of regions) {
    if (region.to > to) break;
    if (region.to <= at) continue;
    clean += text.slice(at, Math.max(at, region.from)) + name(region);
    at = region.to;
  }
  return clean + text.slice(at, to);
}

/** A line with an offset, as xxd, hexdump and od print it, or a line of numbers only, as from `od -An`. */
const DUMP_LINE = /^(?:(0[0-9a-fA-F]{5,15}:?)[ \t]([^\n]*)|[ \t]+([0-9a-fA-F-][0-9a-fA-F \t-]*))$/gm;

/** Quick test: a dump without offsets contains such a line. */
const BARE_LINE = /(?:^|\n)[ \t]+-?[0-9a-f]{2,20}(?:[ \t]|$)/;

/** A possible beginning of a dump line. */
const BEGUN_LINE = /(?:^|\n)(0[0-9a-fA-F]{0,15}:?|0[0-9a-fA-F]{5,15}:?[ \t][^\n]{0,2000}|[ \t]+(?:[0-9a-fA-F-][0-9a-fA-F \t-]{0,2000})?)$/;

/** An incomplete dump line. */
const BYTES_BEGUN = /^(?:0[0-9a-fA-F]{5,15}:?)?[ \t]+[^\s]/;

interface DumpLine {
  readonly from: number;
  readonly to: number;
  readonly offset: string;
  readonly rest: string;
}

/** Reads the bytes of a dump line; null for another layout. */
type Layout = (line: DumpLine) => readonly number[] | null;

/** Finds secrets in dumps of bytes; complete lines form the region. */
function searchDumps(index: EncodingIndex, text: string, { atLineStart, final }: { atLineStart: boolean; final: boolean }): Found {
  const found: Found = { regions: [], openings: [] };
  if (!text.includes('\n0') && !(atLineStart && text.startsWith('0')) && !BARE_LINE.test(text)) return found;
  const begun = final ? null : BEGUN_LINE.exec(text);
  const isLine = begun !== null && (atLineStart || begun.index > 0 || text.startsWith('\n')) && goesOn(text, begun);
  const line = isLine ? (begun[1] ?? '') : '';
  const whole = text.length - line.length;
  if (line !== '') found.openings.push({ at: whole, signs: BYTES_BEGUN.test(line) ? line.length : 0 });
  // Words of an incomplete line may be cut, and then mean other bytes.
  for (const block of blocksOf(text.slice(0, whole), atLineStart)) {
    const isLast = !final && (block.at(-1)?.to ?? 0) >= whole - 1;
    for (const layout of LAYOUTS) searchBlock(index, block, { layout, found, isLast });
  }
  return found;
}

/** Whether incomplete text may be a dump line: a line without an offset starts with a digit, or follows such a line. */
function goesOn(text: string, { index, 1: line = '' }: RegExpExecArray): boolean {
  if (line.startsWith('0') || /^[ \t]+-?\d/.test(line)) return true;
  const above = text.slice(text.lastIndexOf('\n', index - 1) + 1, index);
  return index > 0 && /^[ \t]+[0-9a-fA-F-][0-9a-fA-F \t-]*$/.test(above);
}

/** Groups of consecutive dump lines. */
function blocksOf(text: string, atLineStart: boolean): DumpLine[][] {
  const blocks: DumpLine[][] = [];
  for (const { index: from, 0: whole, 1: offset = '', 2: beside = '', 3: bare = '' } of text.matchAll(DUMP_LINE)) {
    if (from === 0 && !atLineStart) continue;
    const line = { from, to: from + whole.length, offset, rest: beside || bare };
    if (blocks.at(-1)?.at(-1)?.to === from - 1) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

function searchBlock(
  index: EncodingIndex,
  block: readonly DumpLine[],
  { layout, found, isLast }: { layout: Layout; found: Found; isLast: boolean },
): void {
  const ends: number[] = [];
  let bytes = '';
  for (const line of block) {
    for (const byte of layout(line) ?? []) bytes += String.fromCharCode(byte);
    ends.push(bytes.length);
  }
  if (bytes === '') return;
  const lineOf = (at: number): DumpLine | undefined => block[ends.findIndex((end) => at < end)];
  const inBytes = searchEncodings(index, bytes, { final: !isLast, bytes: true });
  for (const { from, to, of } of inBytes.regions) found.regions.push({ from: lineOf(from)?.from ?? 0, to: lineOf(to - 1)?.to ?? 0, of });
  for (const { at, signs } of inBytes.openings) if (at < bytes.length) found.openings.push({ at: lineOf(at)?.from ?? 0, signs });
}

/** The bytes of one word; null for another kind of word. */
type ReadWord = (word: string) => readonly number[] | null;

const readHex: ReadWord = (word) =>
  /^(?:[0-9a-fA-F]{2})+$/.test(word) ? (word.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)) : null;

const LAYOUTS: readonly Layout[] = [
  (line) => readWords(line, readHex),
  (line) => readWords(line, (word) => readHex(word)?.toReversed() ?? null),
  (line) => readWords(line, (word) => (/^[01]{8}$/.test(word) ? [Number.parseInt(word, 2)] : null)),
  (line) => readWords(line, (word) => (/^-?\d{1,5}$/.test(word) ? littleEndian(Number(word)) : null)),
  (line) => readWords(line, readOctal),
  readCharacters,
];

/** Bytes of three octal digits, or words of two bytes. */
function readOctal(word: string): readonly number[] | null {
  if (/^[0-3][0-7]{2}$/.test(word)) return [Number.parseInt(word, 8)];
  return /^[01][0-7]{5}$/.test(word) ? littleEndian(Number.parseInt(word, 8)) : null;
}

/** The two bytes of a number in little-endian order. */
function littleEndian(value: number): readonly number[] {
  return [value & 0xff, (value >> 8) & 0xff];
}

/** The number of bytes per line of xxd; after them come the characters. */
const BYTES_OF_XXD = 16;

/** The bytes of all words in a line, without the character column. */
function readWords({ offset, rest }: DumpLine, read: ReadWord): readonly number[] | null {
  const bare = withoutColumn(withoutColumn(rest, ' |', '|'), ' >', '<');
  const isOfXxd = offset.endsWith(':');
  const bytes: number[] = [];
  for (const word of bare.trim().split(/\s+/)) {
    if (isOfXxd && bytes.length >= BYTES_OF_XXD) break;
    const found = read(word);
    if (found === null) return isOfXxd && bytes.length > 0 ? bytes : null;
    for (const byte of found) bytes.push(byte);
  }
  return bytes;
}

/** Removes the character column at the end of a line. */
function withoutColumn(rest: string, open: string, close: string): string {
  const line = rest.trimEnd();
  const at = line.indexOf(open);
  return at >= 0 && line.endsWith(close) && at + open.length < line.length ? line.slice(0, at) : rest;
}

/** Names of the bytes below 33, as `od -a` prints them, and of some as `od -c` prints them. */
const NAMES = 'nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp';
const CODES: ReadonlyMap<string, number> = new Map([
  ...NAMES.split(' ').map((name, code) => [name, code] as const),
  ...['\\0', '\\a', '\\b', '\\t', '\\n', '\\v', '\\f', '\\r'].map((name, at) => [name, [0, 7][at] ?? at + 6] as const),
  ['del', 127],
]);

/** Cells four characters wide, each with a character, an escape, a name or three octal digits. */
function readCharacters({ offset, rest }: DumpLine): readonly number[] | null {
  if (!/^[0-7]{7,}$/.test(offset) && offset.endsWith(':')) return null;
  const bytes = (` ${rest}`.match(/.{1,4}/gs) ?? []).map((cell) => {
    const sign = cell.trim();
    if (sign.length < 2) return (sign || ' ').charCodeAt(0);
    return CODES.get(sign) ?? readOctal(sign)?.[0];
  });
  return bytes.some((byte) => byte === undefined) ? null : bytes.flatMap((byte) => byte ?? []);
}
