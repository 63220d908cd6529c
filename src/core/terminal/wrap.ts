import { textWidth, toGraphemes } from './graphemes.ts';
import { type Style, styled, type Theme } from './theme.ts';

/** Cuts text without SGR at a width, character by character: no blank is lost and no word hidden. */
export function wrapLines(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  if (widestWidth(text) <= room) return [text];
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const grapheme of toGraphemes(text)) {
    const size = widestWidth(grapheme);
    if (used + size > room && line !== '') {
      lines.push(line);
      line = '';
      used = 0;
    }
    line += grapheme;
    used += size;
  }
  return [...lines, line];
}

/**
 * Columns that text takes on a terminal that joins no characters: there a family of emoji stands as its members. A row that such a terminal
 * had to wrap would go on at its first column, where only what aish itself says may begin.
 */
function widestWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  const parts = [...text].reduce((sum, character) => sum + textWidth(character), 0);
  return Math.max(parts, textWidth(text));
}

/** The beginning of a text that fits a width, with an ellipsis where something was left out. */
export function clipText(text: string, width: number): string {
  if (widestWidth(text) <= width) return text;
  return width <= 1 ? '…'.slice(0, Math.max(0, width)) : `${wrapLines(text, width - 1)[0] ?? ''}…`;
}

/** Folds every line of a text and puts a lead before each row; the lead counts. `further` leads the rows a long line goes on in. */
export function indentText(text: string, lead: string, width: number, further = lead): readonly string[] {
  const room = width - Math.max(textWidth(lead), textWidth(further));
  const fold = (line: string) => (textWidth(lead + line) <= width ? [line] : wrapLines(line, room));
  return text.split('\n').flatMap((line) => fold(line).map((row, at) => (at === 0 ? lead : further) + row));
}

/**
 * Untrusted content, folded at blanks: each row begins with the lead, those a line goes on in with `further`, and no character is lost, so
 * that a user who decides about it reads all of it.
 */
export function quoteText(text: string, width: number, lead = '  | ', further = '  ¦ '): readonly string[] {
  const room = Math.max(1, width - Math.max(textWidth(lead), textWidth(further)));
  return text.split('\n').flatMap((line) => {
    const rows: string[] = [];
    // A blank goes along with the word behind it, so that no row is wider than there is room.
    for (const piece of line.match(/ *[^ ]+| +$/g) ?? ['']) {
      const row = rows.at(-1);
      if (row !== undefined && widestWidth(row + piece) <= room) rows[rows.length - 1] = row + piece;
      else rows.push(...wrapLines(piece, room));
    }
    return rows.map((row, at) => (at === 0 ? lead : further) + row);
  });
}

/**
 * One paragraph of aish's own words, folded at blanks. A word wider than the window (a path that a reason names) is cut. Rows it goes on in
 * hang by two columns: at the first one only what aish itself says may begin.
 */
export function wrapProse(text: string, width: number, lead = '  '): readonly string[] {
  return wrapWords(text, width, lead, width > 4 ? '  ' : '', { cuts: true });
}

/** How rows are shown. */
export interface RowView {
  readonly columns: number;
  readonly theme: Theme;
}

/** Prose in a style, or plain for null. */
export function styledProse(view: RowView, style: Style | null, text: string, lead = '  '): readonly string[] {
  const rows = wrapProse(text, view.columns, lead);
  return style === null ? rows : rows.map((row) => styled(view.theme, style, row));
}

/** Words with the blanks between them, in as many rows as they need; a word that no row has room for is cut, or stands alone. */
function wrapWords(text: string, width: number, first: string, further: string, { cuts }: { readonly cuts: boolean }): readonly string[] {
  const room = Math.max(1, width - Math.max(first.length, further.length));
  const rows: string[] = [];
  let row = first;
  let isEmpty = true;
  for (const [, blank = '', word = ''] of text.matchAll(/(?<! )( *)([^ ]+)/g)) {
    if (!isEmpty && widestWidth(row + blank + word) <= width) {
      row += blank + word;
      continue;
    }
    const [begin = '', ...cut] = cuts ? wrapLines(word, room) : [word];
    if (!isEmpty) rows.push(row);
    row = (isEmpty ? first : further) + begin;
    for (const piece of cut) {
      rows.push(row);
      row = further + piece;
    }
    isEmpty = false;
  }
  return [...rows, row];
}

/**
 * Lines of prose folded at blanks. Rows that a line goes on in begin where its first word does. A word longer than the width stands
 * alone and is not cut: the terminal wraps it, so that a long path stays one word for anyone who copies it. Lines with looks stay
 * as they are.
 */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (line.includes('\x1b') || textWidth(line) <= width ? line : wrapLine(line, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const [indent = ''] = /^ */.exec(line) ?? [];
  const hang = indent.length <= width / 2 ? indent : '';
  return wrapWords(line.slice(indent.length), width, indent, hang, { cuts: false }).join('\n');
}
