import { textWidth, toGraphemes } from '../terminal/graphemes.ts';
import type { Theme } from '../terminal/theme.ts';
import type { Span } from './markdown-line.ts';

/** Scripts written without blanks. */
const UNSPACED_LETTERS =
  '\\u2e80-\\u2fff\\u3005-\\u3007\\u3021-\\u3029\\u3040-\\u30ff\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff';
const CLOSES_PHRASE = '、。〉》」』】〕〗ー！），．：；？］｝';
/** In such a script a line may end behind each character, but not before what closes a phrase. */
const UNSPACED = new RegExp(`[${UNSPACED_LETTERS}][${CLOSES_PHRASE}]*|[^${UNSPACED_LETTERS}]+`, 'g');

/** Spans folded to a width at blanks; a word longer than the width is cut. Lines come with their SGR and links, closed. */
export function wrapSpans(spans: readonly Span[], width: number, theme: Theme): readonly string[] {
  const lines = new LineBuilder(Math.max(1, width), theme);
  for (const span of spans) {
    for (const piece of span.text.split(/(\s+)/)) {
      if (piece === '') continue;
      if (/^\s/.test(piece)) lines.addBlank(span);
      else addWord(lines, piece, span);
    }
  }
  return lines.finish();
}

/** Columns of a text that holds SGR sequences and links. */
export function visibleWidth(text: string): number {
  return textWidth(text.includes('\x1b') ? withoutLinks(text).replace(/\x1b\[[0-9;:]*m/g, '') : text);
}

/** A row without its links, for what is drawn over: there only looks are known. */
export function withoutLinks(row: string): string {
  return row.includes('\x1b]') ? row.replace(/\x1b\]8;[^\x1b]*\x1b\\/g, '') : row;
}

function addWord(lines: LineBuilder, text: string, span: Span): void {
  if (/^[\x21-\x7e]*$/.test(text)) {
    lines.addWord({ ...span, text });
    return;
  }
  for (const [piece] of text.matchAll(UNSPACED)) {
    const breaks = /^[\u2e80-\u9fff\uf900-\ufaff]/.test(piece);
    if (breaks) lines.mayBreak();
    lines.addWord({ ...span, text: piece });
    if (breaks) lines.mayBreak();
  }
}

class LineBuilder {
  readonly #width: number;
  readonly #theme: Theme;
  readonly #lines: string[] = [];
  #line = '';
  #used = 0;
  #style = '';
  #link: string | undefined;
  #blank: Span | null = null;
  /** Pieces of one word in several looks, such as `**bo**ld`, which must not be torn apart. */
  #word: Span[] = [];

  constructor(width: number, theme: Theme) {
    this.#width = width;
    this.#theme = theme;
  }

  addWord(span: Span): void {
    this.#word.push(span);
  }

  addBlank(span: Span): void {
    this.mayBreak();
    this.#blank = { ...span, text: ' ' };
  }

  finish(): readonly string[] {
    this.mayBreak();
    this.#endLine();
    return this.#lines;
  }

  /** The word so far is whole: the next piece may come to stand on another line. */
  mayBreak(): void {
    const word = this.#word;
    if (word.length === 0) return;
    this.#word = [];
    const width = word.reduce((sum, span) => sum + textWidth(span.text), 0);
    const blank = this.#used > 0 ? this.#blank : null;
    this.#blank = null;
    if (this.#used + (blank === null ? 0 : 1) + width > this.#width && this.#used > 0) this.#endLine();
    else if (blank !== null) this.#add(blank, 1);
    for (const span of word) this.#addCut(span);
  }

  #addCut(span: Span): void {
    const whole = textWidth(span.text);
    if (this.#used + whole <= this.#width) {
      this.#add(span, whole);
      return;
    }
    for (const text of toGraphemes(span.text)) {
      const width = textWidth(text);
      if (this.#used + width > this.#width && this.#used > 0) this.#endLine();
      // A wide character where not even one fits.
      if (width > this.#width) this.#add({ ...span, text: '?' }, 1);
      else this.#add({ ...span, text }, width);
    }
  }

  #add({ text, style, link }: Span, width: number): void {
    if (link !== this.#link) this.#line += `\x1b]8;;${link ?? ''}\x1b\\`;
    if (style !== this.#style) this.#line += (this.#style === '' ? '' : this.#theme.reset) + style;
    this.#link = link;
    this.#style = style;
    this.#line += text;
    this.#used += width;
  }

  #endLine(): void {
    const style = this.#style === '' ? '' : this.#theme.reset;
    this.#lines.push(this.#line + style + (this.#link === undefined ? '' : '\x1b]8;;\x1b\\'));
    this.#line = '';
    this.#used = 0;
    this.#style = '';
    this.#link = undefined;
  }
}
