import { textWidth, toGraphemes } from '../terminal/graphemes.ts';
import type { Style, Theme } from '../terminal/theme.ts';

/** A stretch of text in one look. */
export interface Span {
  readonly text: string;
  /** SGR in force, empty for none. */
  readonly style: string;
  /** The address that the text leads to, where the terminal makes it a link. */
  readonly link?: string;
}

/** Emphasis reaches no further: nobody sees where something began that long ago. */
const MAX_SPAN = 2000;
/** Marks inside each other beyond this are shown as they were typed. */
const MAX_DEPTH = 8;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
/** A text without any of these is plain. */
const MARKS = /[\\`*_~[<&]|https?:/;
const PLAIN = /[^\\`*_~[<&!h]+/y;
const BARE_ADDRESS = /https?:\/\/[^\s<>"'`\\|]{1,1000}/y;
const LINK = /!?\[((?:[^[\]\\]|\\.){0,200})\]\(<?([^\s()<>]{1,1000})>?(?:\s{1,20}"[^"]{0,500}")?\)/y;

/** Names of characters that markdown has a use for; a number could name any, control characters too, and stays as it is. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};
const ENTITY = /&(?:amp|lt|gt|quot|#39|nbsp);/y;

/** Reads emphasis, code and links out of one paragraph of markdown. Unclosed marks are shown as typed. */
export function parseSpans(text: string, theme: Theme, style = ''): readonly Span[] {
  return parseInside(text, theme, style, 0);
}

function parseInside(text: string, theme: Theme, style: string, depth: number): readonly Span[] {
  if (depth > MAX_DEPTH || !MARKS.test(text)) return text === '' ? [] : [{ text, style }];
  const marks = new Marks(text);
  const spans: Span[] = [];
  let plain = '';
  const flush = () => {
    if (plain !== '') spans.push({ text: plain, style });
    plain = '';
  };
  for (let at = 0; at < text.length; ) {
    const found = matchInline(marks, at);
    if (found === null) {
      const [shown, size] = readPlain(text, at);
      plain += shown;
      at += size;
      continue;
    }
    flush();
    for (const span of toSpans(found, theme, style, depth)) spans.push(span);
    at += found.size;
  }
  flush();
  return spans;
}

/** The plain text at a place without marks, as shown, and its length in the source. */
function readPlain(text: string, at: number): readonly [string, number] {
  const run = matchAt(PLAIN, text, at)?.[0];
  if (run !== undefined) return [run, run.length];
  if (text[at] === '`') {
    const size = ticksAt(text, at);
    return [text.slice(at, at + size), size];
  }
  const entity = text[at] === '&' ? (matchAt(ENTITY, text, at)?.[0] ?? '') : '';
  if (entity !== '') return [ENTITIES[entity] ?? '', entity.length];
  const isEscaped = text[at] === '\\' && ESCAPABLE.test(text[at + 1] ?? '');
  return isEscaped ? [text[at + 1] ?? '', 2] : [text[at] ?? '', 1];
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

interface Inline {
  readonly style: Style;
  readonly text: string;
  readonly size: number;
  readonly url?: string;
}

const EMPHASES: readonly (readonly [string, Style])[] = [
  ['**', 'bold'],
  ['__', 'bold'],
  ['~~', 'strike'],
  ['*', 'italic'],
  ['_', 'italic'],
];

/**
 * A text with the places where its marks can close. They are looked up once and asked for from left to right, so that the time grows with
 * the length of the text and not with the number of marks that never close.
 */
class Marks {
  readonly text: string;
  readonly #closers = new Map<string, readonly number[]>();
  readonly #passed = new Map<string, number>();

  constructor(text: string) {
    this.text = text;
  }

  /** The first place from there on where a mark can close; -1 where there is none. */
  closer(mark: string, from: number): number {
    let places = this.#closers.get(mark);
    if (places === undefined) {
      places = mark[0] === '`' ? this.#ticks(mark.length) : this.#emphasisEnds(mark);
      this.#closers.set(mark, places);
    }
    let at = this.#passed.get(mark) ?? 0;
    while (at < places.length && (places[at] ?? 0) < from) at += 1;
    this.#passed.set(mark, at);
    return places[at] ?? -1;
  }

  /** Runs of exactly so many backticks. The first question gathers the runs of all lengths. */
  #ticks(length: number): readonly number[] {
    const runs = new Map<number, number[]>();
    for (const { 0: run, index } of this.text.matchAll(/`+/g)) {
      const places = runs.get(run.length);
      if (places === undefined) runs.set(run.length, [index]);
      else places.push(index);
    }
    for (const [size, places] of runs) this.#closers.set('`'.repeat(size), places);
    return runs.get(length) ?? [];
  }

  #emphasisEnds(mark: string): readonly number[] {
    const { text } = this;
    const places: number[] = [];
    for (let end = text.indexOf(mark); end >= 0; end = text.indexOf(mark, end + 1)) {
      const [before, after] = [text[end - 1], text[end + mark.length]];
      const longer = mark.length === 1 && (after === mark || before === mark);
      const inWord = mark[0] === '_' && isWord(after);
      if (!longer && !inWord && !isBlank(before) && before !== '\\') places.push(end);
    }
    return places;
  }
}

function matchInline(marks: Marks, at: number): Inline | null {
  const { text } = marks;
  const character = text[at] ?? '';
  if (character === '`') return matchCode(marks, at);
  if (character === '[' || character === '!') return matchLink(text, at);
  if (character === '<' || character === 'h') return matchAddress(text, at);
  if (character !== '*' && character !== '_' && character !== '~') return null;
  for (const [mark, style] of EMPHASES) {
    const found = text.startsWith(mark, at) ? matchEmphasis(marks, at, mark, style) : null;
    if (found !== null) return found;
  }
  return null;
}

function ticksAt(text: string, at: number): number {
  let end = at;
  while (text[end] === '`') end += 1;
  return end - at;
}

function matchCode(marks: Marks, at: number): Inline | null {
  const ticks = ticksAt(marks.text, at);
  const from = at + ticks;
  const end = marks.closer('`'.repeat(ticks), from);
  if (end < 0) return null;
  const code = marks.text.slice(from, end);
  const shown = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '' ? code.slice(1, -1) : code;
  return { style: 'code', text: shown, size: end + ticks - at };
}

function matchEmphasis(marks: Marks, at: number, mark: string, style: Style): Inline | null {
  const { text } = marks;
  const from = at + mark.length;
  if (isBlank(text[from])) return null;
  // snake_case is no emphasis: an underscore works at the edge of a word only.
  if (mark[0] === '_' && isWord(text[at - 1])) return null;
  const end = marks.closer(mark, from + 1);
  if (end < 0 || end - at >= MAX_SPAN) return null;
  return { style, text: text.slice(from, end), size: end + mark.length - at };
}

function matchLink(text: string, at: number): Inline | null {
  const found = matchAt(LINK, text, at);
  if (found === null) return null;
  const [whole, label = '', url = ''] = found;
  return { style: 'link', text: label, size: whole.length, url };
}

/** An address that stands there as it is, or between angle brackets. */
function matchAddress(text: string, at: number): Inline | null {
  const bracket = text[at] === '<' ? 1 : 0;
  if (bracket === 0 && isWord(text[at - 1])) return null;
  const found = matchAt(BARE_ADDRESS, text, at + bracket)?.[0];
  if (found === undefined || (bracket === 1 && text[at + 1 + found.length] !== '>')) return null;
  const url = bracket === 1 ? found : withoutSentence(found);
  return { style: 'link', text: url, size: url.length + 2 * bracket, url };
}

/** The marks that end the sentence, or the bracket around the address, are no part of the address. */
function withoutSentence(address: string): string {
  const endings = address.includes('(') ? '.,;:!?*_~' : '.,;:!?*_~)';
  let end = address.length;
  while (end > 0 && endings.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

function toSpans(inline: Inline, theme: Theme, outer: string, depth: number): readonly Span[] {
  const { style, text, url } = inline;
  const shown = outer + theme.sgr[style];
  if (style === 'code') return [{ text: theme.enabled ? text : `\`${text}\``, style: shown }];
  if (url === undefined) return parseInside(text, theme, shown, depth + 1);
  const link = theme.links ? toLinkTarget(url) : null;
  const inner = url === text ? [{ text, style: shown }] : parseInside(text, theme, shown, depth + 1);
  const label = link === null ? inner : inner.map((span) => ({ ...span, link }));
  if (url === text || (link !== null && !isMisleading(text, url))) return label;
  return [...label, { text: ` (${url})`, style: outer + theme.sgr.dim }];
}

/** The address as a terminal takes it, or null for what should not open at a click. */
function toLinkTarget(url: string): string | null {
  if (!/^(https?:\/\/|mailto:)/i.test(url)) return null;
  // Half a surrogate pair is no text by itself and cannot be encoded.
  return encodeURI(url.replace(/\p{Surrogate}/gu, '')).replaceAll('%25', '%');
}

/** True where a text names one place and leads to another: then both must be seen. */
function isMisleading(label: string, url: string): boolean {
  const named = /(?:^|[\s/@])((?:[\w-]+\.)+[a-z]{2,})/i.exec(label)?.[1];
  const host = url.split(/[/?#]/)[2] ?? url;
  return named !== undefined && !`.${host.toLowerCase()}`.endsWith(`.${named.toLowerCase()}`);
}

function isBlank(character: string | undefined): boolean {
  return character === undefined || character === ' ' || character === '\n' || character === '\t';
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /[\w\u0080-\uffff]/.test(character);
}

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
