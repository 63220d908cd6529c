/*
 * Many programs print a prefix before each line: `grep` a file and a number, `nl` and `cat -n` a number, `diff` a sign, `sed` any text.
 * This module removes common prefixes, to find a secret that is wrapped over such lines.
 */

/** Consecutive lines of one word each, without their prefixes. */
interface Column {
  readonly text: string;
  /** Converts a position in the column to one in the whole text. */
  readonly toWhole: (at: number) => number;
  /** Start of the first line and end of the last line in the whole text. */
  readonly from: number;
  readonly to: number;
}

/** Prefixes that programs print: a file, a number, a sign. */
export const LINE_PREFIX = '(?:[^\\s:"\'=]{1,160}:)?(?:[ \\t]{0,12}\\d{1,7}(?:[:|.)]|[ \\t])[ \\t]{0,8})?[+>|-]?';

/** A longer line is not part of a column. */
const LONGEST = 1024;

/** The maximum number of differing numbers in a prefix; further numbers belong to the text. */
const MOST_NUMBERS = 2;

interface Line {
  readonly from: number;
  readonly to: number;
  /** Length of the prefix shared with an adjacent line. */
  lead: number;
}

/** Finds the columns of a text. */
export function columnsIn(text: string): readonly Column[] {
  if (!text.includes('\n') || !SEPARATOR.test(text)) return [];
  const columns: Column[] = [];
  let lines: Line[] = [];
  let before: Line | null = null;
  const end = (): void => {
    if (lines.length > 1) columns.push(toColumn(text, lines));
    lines = [];
  };
  const take = (line: Line | null): void => {
    if (line === null || line.lead === 0 || !isWord(text, line)) end();
    else lines.push(line);
  };
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\n', from);
    const line: Line = { from, to: found < 0 ? text.length : found, lead: 0 };
    if (before !== null) {
      const common = commonLead(text, before, line);
      before.lead = Math.max(before.lead, common.above);
      line.lead = common.lead;
      take(before);
      if (common.lead === 0) end();
    }
    before = line;
    from = line.to + 1;
  }
  take(before);
  end();
  return columns;
}

/** Whether the last line may be only a prefix, so that nothing follows the line above yet. */
export function mayBePrefix(text: string): boolean {
  const from = text.lastIndexOf('\n') + 1;
  if (from === 0 || text.length - from > LONGEST / 4) return false;
  const above = { from: text.lastIndexOf('\n', from - 2) + 1, to: from - 1 };
  return scan(text, above, { from, to: text.length }).at === text.length;
}

/** A line up to this length may come from wrapping a longer one. */
const SHORT = 60;

function isWord(text: string, { from, to, lead }: Line): boolean {
  if (to - from > LONGEST) return false;
  const word = text.slice(from + lead, to);
  return word.length <= SHORT || !/\s/.test(word.trimEnd()) || /^-----[A-Z0-9 ]+-----\S{0,4}\r?$/.test(word);
}

interface Common {
  /** Its end in the lower line. */
  readonly at: number;
  /** Its length before the text itself, in the lower and the upper line. */
  readonly lead: number;
  readonly above: number;
}

/** The length of the common prefix of two lines, apart from a number, up to a separator. */
function commonLead(text: string, above: Pick<Line, 'from' | 'to'>, line: Pick<Line, 'from' | 'to'>): Common {
  if (above.to - above.from > LONGEST || line.to - line.from > LONGEST) return { at: line.from, lead: 0, above: 0 };
  return scan(text, above, line);
}

/** Compares two lines, and returns the end of the common part in the second. */
function scan(text: string, above: Pick<Line, 'from' | 'to'>, line: Pick<Line, 'from' | 'to'>): Common {
  let left = above.from;
  let at = line.from;
  let lead = 0;
  let leadAbove = 0;
  let numbers = 0;
  while (left < above.to && at < line.to) {
    const code = text.charCodeAt(at);
    const other = text.charCodeAt(left);
    if (isFigure(code) && isFigure(other) && numbers < MOST_NUMBERS) {
      numbers += 1;
      while (at < line.to && isFigure(text.charCodeAt(at))) at += 1;
      while (left < above.to && isFigure(text.charCodeAt(left))) left += 1;
    } else if (isBlank(code) && isBlank(other)) {
      while (at < line.to && isBlank(text.charCodeAt(at))) at += 1;
      while (left < above.to && isBlank(text.charCodeAt(left))) left += 1;
      lead = at - line.from;
      leadAbove = left - above.from;
    } else if (code === other) {
      at += 1;
      left += 1;
      const isEnd = ENDS.has(code) || (code === LETTER_I && text.startsWith('^I', at - 2));
      if (!isEnd && (at - 1 > line.from || !STARTS.has(code))) continue;
      lead = at - line.from;
      leadAbove = left - above.from;
    } else if (isBlank(code) && numbers === 0) {
      // Shorter numbers are padded with more spaces.
      while (at < line.to && isBlank(text.charCodeAt(at))) at += 1;
      if (!isFigure(text.charCodeAt(at)) || !isFigure(other)) break;
    } else if (isBlank(other) && numbers === 0) {
      while (left < above.to && isBlank(text.charCodeAt(left))) left += 1;
      if (!isFigure(code) || !isFigure(text.charCodeAt(left))) break;
    } else break;
  }
  return { at, lead, above: leadAbove };
}

/** Separators that end a prefix, and signs that are a prefix. */
const ENDS = codesOf(':|>)]-│');
const STARTS = codesOf('+-<');
const LETTER_I = 0x49;

/** A text without any of them has no columns. */
const SEPARATOR = /[ \t:|>)\]│+<-]|\^I/;

function codesOf(signs: string): ReadonlySet<number> {
  return new Set(Array.from(signs, (sign) => sign.charCodeAt(0)));
}

function isFigure(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Parts of a text, joined, with the way back to the whole. */
function joinParts(text: string, parts: readonly Pick<Line, 'from' | 'to'>[], between: string): Pick<Column, 'text' | 'toWhole'> {
  const starts: number[] = [];
  let joined = '';
  for (const { from, to } of parts) {
    starts.push(joined.length + (starts.length === 0 ? 0 : between.length));
    joined += `${starts.length === 1 ? '' : between}${text.slice(from, to)}`;
  }
  const toWhole = (at: number): number => {
    const piece = pieceAt(starts, at);
    const { from = 0, to = text.length } = parts[piece] ?? {};
    return Math.min(to, from + at - (starts[piece] ?? 0));
  };
  return { text: joined, toWhole };
}

function toColumn(text: string, lines: readonly Line[]): Column {
  const parts = lines.map(({ from, to, lead }) => ({ from: from + lead, to }));
  return { ...joinParts(text, parts, '\n'), from: lines[0]?.from ?? 0, to: lines.at(-1)?.to ?? text.length };
}

/** A tag, or an unfinished tag at the end of a text. */
const TAG = /<\/?[A-Za-z][^<>\n]{0,200}(?:>|$)|<\/?$/g;

/** The text without its tags; null if it has none. */
export function withoutTags(text: string): Column | null {
  if (!text.includes('<')) return null;
  const tags = Array.from(text.matchAll(TAG), ({ index, 0: tag }) => ({ index, end: index + tag.length }));
  if (tags.length === 0) return null;
  const parts = [...tags, { index: text.length }].map(({ index }, at) => ({ from: tags[at - 1]?.end ?? 0, to: index }));
  return { ...joinParts(text, parts, ''), from: 0, to: text.length };
}

/** The index of the piece that contains a position. */
function pieceAt(starts: readonly number[], place: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
