/*
 * Many programs put something before each line: `grep` a file and a number, `nl` and `cat -n` a number, `diff` a sign, `sed` any text.
 * What is broken over such lines is read here as it was: one word on each line, without what the lines have in common.
 */

/** The words of lines that follow one another, one to a line, without what stands before each. */
interface Column {
  readonly text: string;
  /** Where a place of the column stands in the whole text. */
  readonly toWhole: (at: number) => number;
  /** Where its first line begins in the whole text, and its last one ends. */
  readonly from: number;
  readonly to: number;
}

/** What programs put before a line: a file, a number, a sign. */
export const LINE_PREFIX = '(?:[^\\s:"\'=]{1,160}:)?(?:[ \\t]{0,12}\\d{1,7}(?:[:|.)]|[ \\t])[ \\t]{0,8})?[+>|-]?';

/** A longer line is none of a column. */
const LONGEST = 1024;

/** Numbers that may differ from line to line; those behind them are of the text itself. */
const MOST_NUMBERS = 2;

interface Line {
  readonly from: number;
  readonly to: number;
  /** How long that is which it has in common with a line beside it. */
  lead: number;
}

/** The columns of a text. */
export function columnsIn(text: string): readonly Column[] {
  if (!text.includes('\n')) return [];
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

/** True when the last line may be no more than what stands before each line, so that nothing has followed the line above it yet. */
export function mayBePrefix(text: string): boolean {
  const from = text.lastIndexOf('\n') + 1;
  if (from === 0 || text.length - from > LONGEST / 4) return false;
  const above = { from: text.lastIndexOf('\n', from - 2) + 1, to: from - 1 };
  return scan(text, above, { from, to: text.length }).at === text.length;
}

/** So short a line may have been made by breaking a longer one. */
const SHORT = 60;

function isWord(text: string, { from, to, lead }: Line): boolean {
  if (to - from > LONGEST) return false;
  const word = text.slice(from + lead, to);
  return word.length <= SHORT || !/\s/.test(word.trimEnd()) || /^-----[A-Z0-9 ]+-----\S{0,4}\r?$/.test(word);
}

interface Common {
  /** Where it ends in the line below. */
  readonly at: number;
  /** How much of it stands before the text itself, below and above. */
  readonly lead: number;
  readonly above: number;
}

/** How much of a line is the same as in the one above, apart from a number, up to a sign that ends such a thing. */
function commonLead(text: string, above: Pick<Line, 'from' | 'to'>, line: Pick<Line, 'from' | 'to'>): Common {
  if (above.to - above.from > LONGEST || line.to - line.from > LONGEST) return { at: line.from, lead: 0, above: 0 };
  return scan(text, above, line);
}

/** Goes along two lines as far as they are the same, and returns where that ends in the second. */
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
      const isEnd = ENDS.includes(text[at - 1] ?? '') || text.startsWith('^I', at - 2);
      if (!isEnd && (at - 1 > line.from || !STARTS.includes(text[at - 1] ?? ''))) continue;
      lead = at - line.from;
      leadAbove = left - above.from;
    } else if (isBlank(code) && numbers === 0) {
      // A number of fewer figures has more blanks before it.
      while (at < line.to && isBlank(text.charCodeAt(at))) at += 1;
      if (!isFigure(text.charCodeAt(at)) || !isFigure(other)) break;
    } else if (isBlank(other) && numbers === 0) {
      while (left < above.to && isBlank(text.charCodeAt(left))) left += 1;
      if (!isFigure(code) || !isFigure(text.charCodeAt(left))) break;
    } else break;
  }
  return { at, lead, above: leadAbove };
}

/** Signs that end what stands before a line, and those that are it. */
const ENDS = ':|>)]-│';
const STARTS = '+-<';

function isFigure(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function toColumn(text: string, lines: readonly Line[]): Column {
  const starts: number[] = [];
  let joined = '';
  for (const { from, to, lead } of lines) {
    starts.push(joined === '' ? 0 : joined.length + 1);
    joined += `${joined === '' ? '' : '\n'}${text.slice(from + lead, to)}`;
  }
  const toWhole = (at: number): number => {
    const piece = pieceAt(starts, at);
    const line = lines[piece];
    return line === undefined ? at : Math.min(line.to, line.from + line.lead + at - (starts[piece] ?? 0));
  };
  return { text: joined, toWhole, from: lines[0]?.from ?? 0, to: lines.at(-1)?.to ?? text.length };
}

/** A tag, or the beginning of one at the end of a text. */
const TAG = /<\/?[A-Za-z][^<>\n]{0,200}(?:>|$)|<\/?$/g;

/** The text without the tags in it; null where there are none. */
export function withoutTags(text: string): Column | null {
  if (!text.includes('<')) return null;
  const starts: number[] = [];
  const places: number[] = [];
  let clean = '';
  let at = 0;
  for (const { index, 0: tag } of text.matchAll(TAG)) {
    starts.push(clean.length);
    places.push(at);
    clean += text.slice(at, index);
    at = index + tag.length;
  }
  if (at === 0) return null;
  starts.push(clean.length);
  places.push(at);
  clean += text.slice(at);
  const toWhole = (place: number): number => {
    const piece = pieceAt(starts, place);
    return (places[piece] ?? 0) + place - (starts[piece] ?? 0);
  };
  return { text: clean, toWhole, from: 0, to: text.length };
}

/** The number of the piece that a place is in, by the places where the pieces begin. */
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
