import { textWidth } from './graphemes.ts';
import { parseSpans, type Span } from './markdown-line.ts';
import { type Style, styled, type Theme } from './theme.ts';
import { wrapSpans } from './wrap-spans.ts';

/** The text before the first and before the further rows of a line. */
interface Lead {
  readonly first: string;
  readonly rest: string;
  readonly width: number;
}

const HEADING = /^\s{0,3}(#{1,6})\s+(.*)$/;
/** Signs that close a heading as they open it. */
const HEADING_END = /(?<!\s)\s+#+$/;
const RULE = /^\s{0,3}(?:([-*_])(?:\s*\1){2,}|={3,})\s*$/;
const QUOTE = /^(\s*)((?:>\s?)+)(.*)$/s;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\](?:\s+|$))?(.*)$/s;
/** More quotations inside each other than this are not told apart. */
const MAX_QUOTES = 3;
const LONGEST_RULE = 40;
/** Text with less room than this is no longer readable: rather the indent goes. */
const LEAST_ROOM = 6;

/** Renders one line of the source, which is anything but code or a table. No row is wider than `columns`. */
export function renderLine(line: string, columns: number, theme: Theme): readonly string[] {
  const heading = HEADING.exec(line);
  if (heading !== null) return renderHeading(heading, columns, theme);
  if (RULE.test(line)) return renderRule(columns, theme);
  const quote = QUOTE.exec(line);
  if (quote !== null) return renderQuote(quote, columns, theme);
  const item = ITEM.exec(line);
  if (item !== null) return renderItem(item, columns, theme);
  const [indent = ''] = /^\s*/.exec(line) ?? [];
  // Deeper than that of an item, whose text it may go on with.
  const blank = toIndent(indent, columns, 2);
  return withLead({ first: blank, rest: blank, width: blank.length }, parseSpans(line.trim(), theme), columns, theme);
}

/**
 * The beginning of a source line that goes on with another one: what is behind it stands where the further rows of that line do. Null for
 * lines that cannot be parted.
 */
export function continuationOf(line: string): string | null {
  if (HEADING.test(line) || RULE.test(line)) return null;
  const quote = QUOTE.exec(line);
  if (quote !== null) {
    const inner = continuationOf(quote[3] ?? '');
    return inner === null ? null : `${quote[1] ?? ''}${quote[2] ?? ''}${inner}`;
  }
  const item = ITEM.exec(line);
  if (item === null) return /^\s*/.exec(line)?.[0] ?? '';
  const [, indent = '', marker = '', task] = item;
  return indent + ' '.repeat((/^\d/.test(marker) ? marker.length : 1) + 1 + (task === undefined ? 0 : 4));
}

/** The bars before each row inside a quotation of some depth. */
export function quoteBars(depth: number, theme: Theme): string {
  if (theme.words) return 'quote: ';
  return styled(theme, 'dim', '│ '.repeat(Math.min(MAX_QUOTES, depth)));
}

function renderHeading(found: RegExpExecArray, columns: number, theme: Theme): readonly string[] {
  const [, signs = '#', rest = ''] = found;
  const text = rest.trimEnd().replace(HEADING_END, '');
  const mark = theme.words ? 'heading: ' : theme.enabled ? '' : `${signs} `;
  const spans = parseSpans(text, theme, theme.sgr.heading);
  return wrapSpans([{ text: mark, style: '' }, ...spans], columns, theme);
}

function renderRule(columns: number, theme: Theme): readonly string[] {
  return [theme.words ? '' : styled(theme, 'dim', '─'.repeat(Math.min(columns, LONGEST_RULE)))];
}

function renderQuote(found: RegExpExecArray, columns: number, theme: Theme): readonly string[] {
  const [, indent = '', marks = '>', text = ''] = found;
  const depth = Math.min(MAX_QUOTES, marks.split('>').length - 1);
  const blank = toIndent(indent, columns);
  const width = blank.length + (theme.words ? textWidth('quote: ') : 2 * depth);
  if (columns - width < LEAST_ROOM) return renderLine(text, columns, theme);
  const bars = blank + quoteBars(depth, theme);
  return renderLine(text, columns - width, theme).map((row, at) => (theme.words && at > 0 ? row : bars + row));
}

function renderItem(found: RegExpExecArray, columns: number, theme: Theme): readonly string[] {
  const [, indent = '', marker = '', task, text = ''] = found;
  const mark = /^\d/.test(marker) ? marker : theme.words ? '-' : '•';
  const box = task === undefined ? null : toBox(task !== ' ', theme);
  const blank = toIndent(indent, columns);
  const width = blank.length + mark.length + 1 + (box === null ? 0 : box.text.length + 1);
  const shown = box === null ? '' : `${box.style === null ? box.text : styled(theme, box.style, box.text)} `;
  const first = `${blank}${styled(theme, 'dim', mark)} ${shown}`;
  return withLead({ first, rest: ' '.repeat(width), width }, parseSpans(text.trim(), theme), columns, theme);
}

function toBox(isDone: boolean, theme: Theme): { readonly text: string; readonly style: Style | null } {
  if (theme.words) return { text: isDone ? 'done:' : 'to do:', style: null };
  return isDone ? { text: '[x]', style: 'ok' } : { text: '[ ]', style: null };
}

function withLead(lead: Lead, spans: readonly Span[], columns: number, theme: Theme): readonly string[] {
  if (columns - lead.width < LEAST_ROOM) {
    const first = { text: `${lead.first.replace(/\x1b\[[0-9;:]*m/g, '').trim()} `, style: '' };
    return wrapSpans(first.text === ' ' ? spans : [first, ...spans], columns, theme);
  }
  const rows = wrapSpans(spans, columns - lead.width, theme);
  return rows.map((row, at) => (row === '' && at > 0 ? '' : (at === 0 ? lead.first : lead.rest) + row));
}

/** Deep lists may not push their text out of a narrow window. */
function toIndent(indent: string, columns: number, part = 3): string {
  return indent.replaceAll('\t', '    ').slice(0, Math.floor(columns / part));
}
