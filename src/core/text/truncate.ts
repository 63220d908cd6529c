/** Share of the budget that goes to the head; the rest is for the tail, where errors and totals stand. */
const HEAD_SHARE = 0.6;

/**
 * Cuts a long text in its middle: head, a line that counts what is missing, tail. Cuts at line ends where that costs little,
 * and never inside a character. `budget` is in UTF-16 units.
 */
export function truncateMiddle(text: string, budget: number): string {
  if (text.length <= budget) return text;
  const head = cutHead(text, Math.floor(budget * HEAD_SHARE));
  const tail = cutTail(text, budget - Math.floor(budget * HEAD_SHARE));
  const missing = text.slice(head.length, text.length - tail.length);
  const lines = countLines(missing);
  return `${head}\n[… ${formatCount(lines, 'line')}, ${missing.length} characters left out of ${text.length} …]\n${tail}`;
}

/** The beginning of a text, cut at a line end where that costs little, and never inside a character. */
export function cutHead(text: string, size: number): string {
  if (text.length <= size) return text;
  const lineEnd = text.lastIndexOf('\n', size);
  if (lineEnd > size / 2) return text.slice(0, lineEnd);
  return text.slice(0, isLowSurrogate(text, size) ? size - 1 : size);
}

/** The end of a text, cut in the same way. */
export function cutTail(text: string, size: number): string {
  if (text.length <= size) return text;
  const start = text.length - size;
  const lineEnd = text.indexOf('\n', start);
  if (lineEnd >= 0 && lineEnd - start < size / 2) return text.slice(lineEnd + 1);
  return text.slice(isLowSurrogate(text, start) ? start + 1 : start);
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < text.length - 1; at = text.indexOf('\n', at + 1)) count += at > 0 ? 1 : 0;
  return count;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes as users read it: `128.9 kB`. */
export function formatByteSize(bytes: number): string {
  let [shown, name] = [bytes, 'B'];
  for (const unit of UNITS) {
    if (shown < 1000) break;
    [shown, name] = [shown / 1000, unit];
  }
  return name === 'B' ? `${shown} B` : `${shown.toFixed(1)} ${name}`;
}

/** The same where every one counts: `1 byte`, `1024 bytes`. */
export function countBytes(bytes: number): string {
  return formatCount(bytes, 'byte');
}

/** The first of some names, and how many more there are: `a, b and 3 more`. */
export function nameSome(names: readonly string[], most: number, between = ', '): string {
  const left = names.length - most;
  return left > 0 ? `${names.slice(0, most).join(between)} and ${left} more` : names.join(between);
}

/** A number with its noun: `1 line`, `2 lines`. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
