import { textWidth, toGraphemes } from '../editor/graphemes.ts';
import type { Look, Theme } from './theme.ts';

/** A stretch of text in one look. */
export interface Span {
  readonly text: string;
  /** SGR in force, empty for none. */
  readonly style: string;
}

/** Emphasis reaches no further: an unclosed mark must not make every later one search to the end. */
const MAX_SPAN = 2000;
const ESCAPABLE = /[!-/:-@[-`{-~]/;

/** Reads emphasis, code and links out of one paragraph of markdown. What is not closed is shown as it was typed. */
export function parseSpans(text: string, theme: Theme, style = ''): readonly Span[] {
  const spans: Span[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') spans.push({ text: plain, style });
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    const found = matchInline(text, at);
    if (found === null) {
      const size = text[at] === '\\' && ESCAPABLE.test(text[at + 1] ?? '') ? 2 : 1;
      plain += text.slice(at + size - 1, at + size);
      at += size;
      continue;
    }
    flush();
    spans.push(...toSpans(found, theme, style));
    at += found.size;
  }
  flush();
  return spans;
}

interface Inline {
  readonly look: Look;
  readonly text: string;
  readonly size: number;
  readonly url?: string;
}

const EMPHASES: readonly (readonly [string, Look])[] = [
  ['**', 'bold'],
  ['__', 'bold'],
  ['~~', 'strike'],
  ['*', 'italic'],
  ['_', 'italic'],
];

function matchInline(text: string, at: number): Inline | null {
  const character = text[at] ?? '';
  if (character === '`') return matchCode(text, at);
  if (character === '[' || character === '!') return matchLink(text, at);
  if (character !== '*' && character !== '_' && character !== '~') return null;
  for (const [mark, look] of EMPHASES) {
    const found = text.startsWith(mark, at) ? matchEmphasis(text, at, mark, look) : null;
    if (found !== null) return found;
  }
  return null;
}

function matchCode(text: string, at: number): Inline | null {
  let ticks = 1;
  while (text[at + ticks] === '`') ticks++;
  const mark = '`'.repeat(ticks);
  const from = at + ticks;
  let end = text.indexOf(mark, from);
  while (end >= 0 && text[end + ticks] === '`') end = text.indexOf(mark, end + ticks + 1);
  if (end < 0) return null;
  const code = text.slice(from, end);
  const shown = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '' ? code.slice(1, -1) : code;
  return { look: 'code', text: shown, size: end + ticks - at };
}

function matchEmphasis(text: string, at: number, mark: string, look: Look): Inline | null {
  const from = at + mark.length;
  if (isBlank(text[from])) return null;
  // snake_case is no emphasis: an underscore works at the edge of a word only.
  if (mark[0] === '_' && isWord(text[at - 1])) return null;
  for (let end = text.indexOf(mark, from + 1); end >= 0 && end - at < MAX_SPAN; end = text.indexOf(mark, end + 1)) {
    const after = text[end + mark.length];
    const longer = mark.length === 1 && (after === mark || text[end - 1] === mark);
    const inWord = mark[0] === '_' && isWord(after);
    if (!longer && !inWord && !isBlank(text[end - 1]) && text[end - 1] !== '\\') {
      return { look, text: text.slice(from, end), size: end + mark.length - at };
    }
  }
  return null;
}

function matchLink(text: string, at: number): Inline | null {
  const found = /^!?\[((?:[^[\]\\]|\\.){0,500})\]\(<?([^\s()<>]{1,1000})>?(?:\s+"[^"]{0,500}")?\)/.exec(
    text.slice(at, at + 2100),
  );
  if (found === null) return null;
  const [whole, label = '', url = ''] = found;
  return { look: 'link', text: label, size: whole.length, url };
}

/** The address of a link is always shown: its text alone may name another place. */
function toSpans(inline: Inline, theme: Theme, style: string): readonly Span[] {
  const look = style + theme.sgr[inline.look];
  if (inline.look === 'code') return [{ text: theme.enabled ? inline.text : `\`${inline.text}\``, style: look }];
  const inner = parseSpans(inline.text, theme, look);
  if (inline.url === undefined || inline.url === inline.text) return inner;
  return [...inner, { text: ` (${inline.url})`, style: style + theme.sgr.dim }];
}

function isBlank(character: string | undefined): boolean {
  return character === undefined || character === ' ' || character === '\n' || character === '\t';
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\w\u0080-\uffff]/.test(character);
}

/** Spans folded to a width at blanks; a word longer than the width is cut. Lines come with their SGR, closed. */
export function wrapSpans(spans: readonly Span[], width: number, theme: Theme): readonly string[] {
  const lines = new LineBuilder(Math.max(1, width), theme);
  for (const { text, style } of spans) {
    for (const piece of text.split(/(\s+)/)) {
      if (piece === '') continue;
      if (/^\s/.test(piece)) lines.addBlank(style);
      else lines.addWord(piece, style);
    }
  }
  return lines.finish();
}

class LineBuilder {
  readonly #width: number;
  readonly #theme: Theme;
  readonly #lines: string[] = [];
  #line = '';
  #used = 0;
  #style = '';
  #blank: string | null = null;
  /** Pieces of one word in several looks, such as `**bo**ld`, which must not be torn apart. */
  #word: Span[] = [];

  constructor(width: number, theme: Theme) {
    this.#width = width;
    this.#theme = theme;
  }

  addWord(text: string, style: string): void {
    this.#word.push({ text, style });
  }

  addBlank(style: string): void {
    this.#endWord();
    this.#blank = style;
  }

  finish(): readonly string[] {
    this.#endWord();
    this.#endLine();
    return this.#lines;
  }

  #endWord(): void {
    const word = this.#word;
    if (word.length === 0) return;
    this.#word = [];
    const width = word.reduce((sum, span) => sum + textWidth(span.text), 0);
    const blank = this.#blank !== null && this.#used > 0 ? 1 : 0;
    if (this.#used + blank + width > this.#width && this.#used > 0) this.#endLine();
    else if (blank === 1) this.#add(' ', this.#blank ?? '', 1);
    this.#blank = null;
    for (const span of word) this.#addCut(span);
  }

  #addCut({ text, style }: Span): void {
    if (this.#used + textWidth(text) <= this.#width) {
      this.#add(text, style, textWidth(text));
      return;
    }
    for (const grapheme of toGraphemes(text)) {
      const width = textWidth(grapheme);
      if (this.#used + width > this.#width && this.#used > 0) this.#endLine();
      this.#add(grapheme, style, width);
    }
  }

  #add(text: string, style: string, width: number): void {
    if (style !== this.#style) this.#line += (this.#style === '' ? '' : this.#theme.reset) + style;
    this.#style = style;
    this.#line += text;
    this.#used += width;
  }

  #endLine(): void {
    this.#lines.push(this.#line + (this.#style === '' ? '' : this.#theme.reset));
    this.#line = '';
    this.#used = 0;
    this.#style = '';
  }
}
