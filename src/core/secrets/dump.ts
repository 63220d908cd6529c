import type { FormIndex } from './index-of-forms.ts';
import { eitherOpen, noteOpen, opened } from './open.ts';
import type { Region } from './region.ts';
import { type Search, searchForms } from './search.ts';

/** A line that begins with an offset, as xxd, hexdump and od print them. */
const DUMP_LINE = /^(0[0-9a-fA-F]{5,15}:?)[ \t]([^\n]*)$/gm;

/** What may become such a line when more of it comes. */
const BEGUN_LINE = /(?:^|\n)(0[0-9a-fA-F]{0,15}:?|0[0-9a-fA-F]{5,15}:?[ \t][^\n]{0,2000})$/;

/** What is such a line already, though not whole. */
const BYTES_BEGUN = /^0[0-9a-fA-F]{5,15}:?[ \t]+[^\s]/;

interface DumpLine {
  readonly from: number;
  readonly to: number;
  readonly offset: string;
  readonly rest: string;
}

/** Reads the bytes of a line; null when it is of another layout. */
type Layout = (line: DumpLine) => string | null;

/** Finds secrets in dumps of bytes; the whole lines are their region. `indexFor` makes the index for a text of bytes. */
export function searchDumps(
  indexFor: () => FormIndex,
  text: string,
  { atLineStart, final }: { atLineStart: boolean; final: boolean },
): Pick<Search, 'regions' | 'open'> {
  const search: Pick<Search, 'regions' | 'open'> = { regions: [], open: opened(text.length) };
  if (!text.includes('\n0') && !(atLineStart && text.startsWith('0'))) return search;
  const begun = final ? null : BEGUN_LINE.exec(text);
  const line = begun !== null && (atLineStart || begun.index > 0) ? (begun[1] ?? '') : '';
  const whole = text.length - line.length;
  if (line !== '') noteOpen(search.open, whole, BYTES_BEGUN.test(line) ? line.length : 0);
  for (const block of blocksOf(text, atLineStart)) {
    const isLast = !final && (block.at(-1)?.to ?? 0) >= whole - 1;
    for (const layout of LAYOUTS) searchBlock(indexFor(), block, { layout, search, isLast });
  }
  return search;
}

/** Lines that follow one another. */
function blocksOf(text: string, atLineStart: boolean): DumpLine[][] {
  const blocks: DumpLine[][] = [];
  for (const { index: from, 0: whole, 1: offset = '', 2: rest = '' } of text.matchAll(DUMP_LINE)) {
    if (from === 0 && !atLineStart) continue;
    const line = { from, to: from + whole.length, offset, rest };
    if (blocks.at(-1)?.at(-1)?.to === from - 1) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

function searchBlock(
  index: FormIndex,
  block: readonly DumpLine[],
  { layout, search, isLast }: { layout: Layout; search: Pick<Search, 'regions' | 'open'>; isLast: boolean },
): void {
  const ends: number[] = [];
  let bytes = '';
  for (const line of block) {
    bytes += layout(line) ?? '';
    ends.push(bytes.length);
  }
  if (bytes === '') return;
  const lineOf = (at: number): DumpLine | undefined => block[ends.findIndex((end) => at < end)];
  const found = searchForms(index, bytes, { final: !isLast });
  for (const { from, to, secret } of found.regions) {
    const region: Region = { from: lineOf(from)?.from ?? 0, to: lineOf(to - 1)?.to ?? 0, secret };
    search.regions.push(region);
  }
  if (!isLast) return;
  const { from, held, kept } = found.open;
  const inText = (at: number): number => (at < bytes.length ? (lineOf(at)?.from ?? 0) : Number.POSITIVE_INFINITY);
  search.open = eitherOpen(search.open, { from: inText(from), held: inText(held), kept: inText(kept) });
}

const LAYOUTS: readonly Layout[] = [
  (line) => readHex(line, (word) => word),
  (line) => readHex(line, (word) => (word.length > 1 ? word.toReversed() : null)),
  (line) => readOctal(line),
  (line) => readCharacters(line),
];

/** Words of hex figures, as they stand or each from its end; what shows the characters beside them is left out. */
function readHex({ offset, rest }: DumpLine, order: (word: number[]) => number[] | null): string | null {
  const bare = rest.replace(/ +(\|.*\||>.*<)\r?$/, '');
  const columns = offset.endsWith(':') ? bare.trimStart().replace(/ {2}.*$/s, '') : bare;
  let text = '';
  for (const word of columns.trim().split(/\s+/)) {
    if (!/^(?:[0-9a-fA-F]{2})+$/.test(word)) return null;
    const bytes = order(
      Array.from({ length: word.length / 2 }, (_, at) => Number.parseInt(word.slice(at * 2, at * 2 + 2), 16)),
    );
    if (bytes === null) return null;
    text += String.fromCharCode(...bytes);
  }
  return text;
}

/** Bytes of three octal figures, or words of two bytes as a little-endian machine has them. */
function readOctal({ rest }: DumpLine): string | null {
  let text = '';
  for (const word of rest
    .replace(/ +>.*<\r?$/, '')
    .trim()
    .split(/\s+/)) {
    const value = Number.parseInt(word, 8);
    if (/^[0-3][0-7]{2}$/.test(word)) text += String.fromCharCode(value);
    else if (/^[01][0-7]{5}$/.test(word)) text += String.fromCharCode(value & 0xff, value >> 8);
    else return null;
  }
  return text;
}

const NAMED: Readonly<Record<string, string>> = {
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\0': '\0',
  '\\b': '\b',
  '\\f': '\f',
  '\\v': '\v',
  '\\a': '\x07',
};

/** Cells of four columns with a character, an escape or three octal figures in each. */
function readCharacters({ offset, rest }: DumpLine): string | null {
  if (!/^[0-7]{7,}$/.test(offset) && offset.endsWith(':')) return null;
  const cells = ` ${rest}`.match(/.{1,4}/gs) ?? [];
  let text = '';
  for (const cell of cells) {
    const sign = cell.trim();
    const byte = sign === '' ? ' ' : sign.length === 1 ? sign : (NAMED[sign] ?? octalSign(sign));
    if (byte === null) return null;
    text += byte;
  }
  return text;
}

function octalSign(sign: string): string | null {
  return /^[0-3][0-7]{2}$/.test(sign) ? String.fromCharCode(Number.parseInt(sign, 8)) : null;
}
